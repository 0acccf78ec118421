// Runs before the first paint, so that a dark window never flashes white. A file of its own because the content policy allows no inline scripts.
// The same rule, kept up to date while the page lives: state/theme.ts.
;(function () {
  var choice = null
  try {
    choice = localStorage.getItem('trestle.theme')
  } catch {
    // Storage is switched off: follow the system.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
