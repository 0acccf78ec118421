/* oxlint-disable unicorn/consistent-function-scoping -- one function, so that nothing is global in the page */
// Runs in previewed pages in a frame, before their own scripts. It tells Trestle's page about errors and about the element
// that the user points at, through postMessage only. `pageTools` is page-tools.js.
;(() => {
  const CHANNEL = 'trestle-preview'
  if (window.parent === window) return
  const say = (report) => window.parent.postMessage({ channel: CHANNEL, report }, '*')

  // Where the page is.
  const place = () =>
    say({ type: 'at', url: location.pathname + location.search + location.hash, title: document.title })
  for (const name of ['pushState', 'replaceState']) {
    const original = history[name]
    history[name] = function (...given) {
      const result = original.apply(this, given)
      place()
      return result
    }
  }
  addEventListener('popstate', place)
  addEventListener('hashchange', place)
  addEventListener('load', place)

  // Errors and warnings.
  const MAX_TEXT = 4000
  const written = (value) => {
    if (value instanceof Error) return value.stack || String(value)
    if (typeof value === 'string') return value
    try {
      return JSON.stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const report = (level, values) =>
    say({ type: 'console', level, text: values.map(written).join(' ').slice(0, MAX_TEXT) })
  for (const [name, level] of [
    ['error', 'error'],
    ['warn', 'warning'],
  ]) {
    const original = console[name]
    console[name] = function (...given) {
      report(level, given)
      return original.apply(this, given)
    }
  }
  addEventListener(
    'error',
    (event) => {
      if (event.error || event.message) report('error', [event.error ?? event.message])
      else if (event.target instanceof Element) {
        const { src, href } = event.target
        report('error', [`Could not load ${src ?? href ?? event.target.tagName}`])
      }
    },
    true,
  )
  addEventListener('unhandledrejection', (event) => report('error', ['Unhandled rejection:', event.reason]))

  const tools = pageTools(say)

  addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.channel !== CHANNEL) return
    const { type, isOn, to, path } = data.command ?? {}
    if (type === 'pick') tools.pick(isOn === true)
    else if (type === 'outline') say({ type: 'outline', text: tools.outlined() })
    else if (type === 'open' && typeof path === 'string' && path.startsWith('/')) location.assign(path)
    else if (type === 'go') {
      if (to === 'reload') location.reload()
      else history.go(to === 'back' ? -1 : 1)
    }
  })
  place()
})()
