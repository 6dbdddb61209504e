// Sets the color scheme before the first paint; an inline script would need an exception in the page's CSP.
// The choice is shared with the console.
(function () {
  var stored = localStorage.getItem('mantine-color-scheme-value');
  var dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.body.classList.add(dark ? 'dark-mode' : 'light-mode');
})();
