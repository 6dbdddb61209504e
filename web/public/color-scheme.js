// Sets the colour scheme before the first paint; an inline script would need an exception in the page's CSP.
(function () {
  var stored = localStorage.getItem('mantine-color-scheme-value');
  var dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
