// Runs before the first paint, so that a window never flashes in the wrong colors or sizes. A separate file, because
// the content policy allows no inline scripts. The host puts the user's choice into the page; the browser's copy is for
// pages from an older host. state/page/appearance.ts has the same rules and applies later changes.
;(function () {
  var root = document.documentElement
  var chosen = {}
  try {
    chosen = JSON.parse(root.dataset.appearance || localStorage.getItem('trestle.appearance') || '{}')
  } catch {
    // Storage is disabled: use the defaults.
  }
  var dark = chosen.theme === 'dark' || (chosen.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  var high =
    chosen.contrast === 'high' || (chosen.contrast !== 'normal' && matchMedia('(prefers-contrast: more)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  root.dataset.contrast = high ? 'high' : 'normal'
  root.dataset.accent = chosen.accent || 'graphite'
  root.dataset.density = chosen.density || 'comfortable'
  root.dataset.motion = chosen.motion || 'system'
  root.dataset.font = chosen.interfaceFont || 'inter'
  if (chosen.textSize) root.style.setProperty('--text-scale', String(chosen.textSize / 100))
  if (chosen.codeSize) root.style.setProperty('--code-scale', String(chosen.codeSize / 100))
  if (/^[\p{L}\p{N} ._-]+$/u.test(chosen.codeFont || ''))
    root.style.setProperty(
      '--code-face',
      '"' + chosen.codeFont + '", "JetBrains Mono Variable", ui-monospace, monospace',
    )
})()
