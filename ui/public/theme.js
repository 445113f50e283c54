// Sets the theme before the first paint; the settings, once they are read, may set it again.
(function () {
  var theme = null;
  try {
    theme = localStorage.getItem('kandev.theme');
  } catch {
    // Storage may be off; the system's theme serves.
  }
  if (theme !== 'light' && theme !== 'dark')
    theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
})();
