/** The label of the search shortcut on this platform. */
export const SEARCH_HOTKEY = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
