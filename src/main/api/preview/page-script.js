/* oxlint-disable unicorn/consistent-function-scoping, no-underscore-dangle -- one function, so that nothing is global in the page; frameworks name their notes so */
// Runs in previewed pages, before their own scripts. It tells Trestle's page about errors and about the element that the
// user points at, through postMessage only.
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

  // Pointing at an element.
  const selectorOf = (element) => {
    const parts = []
    for (let at = element; at && at !== document.documentElement && parts.length < 6; at = at.parentElement) {
      if (at.id) {
        parts.unshift(`#${CSS.escape(at.id)}`)
        break
      }
      const same = [...(at.parentElement?.children ?? [])].filter((one) => one.localName === at.localName)
      parts.unshift(at.localName + (same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : ''))
    }
    return parts.join(' > ')
  }
  /** `file:line` of what made the element, as React, Vue and Svelte note it while developing. */
  const sourceOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const svelte = at.__svelte_meta?.loc
      if (svelte) return `${svelte.file}:${svelte.line + 1}`
      const vue = at.__vueParentComponent?.type?.__file
      if (vue) return vue
      const key = Object.keys(at).find((name) => name.startsWith('__reactFiber$'))
      for (let fiber = key && at[key]; fiber; fiber = fiber.return) {
        const made = fiber._debugSource
        if (made) return `${made.fileName}:${made.lineNumber}`
        const line = /\((?:https?:\/\/[^/]+)?\/?([^()?]+)[^():]*:(\d+):\d+\)/.exec(fiber._debugStack?.stack ?? '')
        if (line && !line[1].includes('node_modules')) return `${line[1]}:${line[2]}`
      }
      if (at.dataset?.source) return at.dataset.source
    }
    return undefined
  }
  const MAX_MARKUP = 600
  const described = (element) => {
    const box = element.getBoundingClientRect()
    const shell = element.cloneNode(false)
    const inner = element.innerHTML.trim()
    shell.textContent = element.children.length === 0 ? inner.slice(0, 200) : '…'
    const source = sourceOf(element)
    return {
      selector: selectorOf(element),
      text: (element.innerText ?? element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 300),
      markup: shell.outerHTML.slice(0, MAX_MARKUP),
      width: Math.round(box.width),
      height: Math.round(box.height),
      ...(source && { source }),
    }
  }
  let frame
  const outline = (element) => {
    if (!frame) {
      frame = document.createElement('div')
      frame.style.cssText =
        'position:fixed;z-index:2147483647;pointer-events:none;border:2px solid #2f6fdb;background:rgba(47,111,219,.14);border-radius:3px'
      document.documentElement.append(frame)
    }
    const box = element.getBoundingClientRect()
    Object.assign(frame.style, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
    })
  }
  const onMove = (event) => event.target instanceof Element && outline(event.target)
  const onClick = (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.type !== 'click' || !(event.target instanceof Element)) return
    pick(false)
    say({ type: 'picked', element: described(event.target) })
  }
  const onKey = (event) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopImmediatePropagation()
    pick(false)
    say({ type: 'pick-ended' })
  }
  const listeners = [
    ['pointermove', onMove],
    ['focusin', onMove],
    ['pointerdown', onClick],
    ['mousedown', onClick],
    ['click', onClick],
    ['keydown', onKey],
  ]
  const pick = (isOn) => {
    for (const [name, listener] of listeners) {
      if (isOn) addEventListener(name, listener, true)
      else removeEventListener(name, listener, true)
    }
    if (!isOn) {
      frame?.remove()
      frame = undefined
    }
  }

  // The page as text: headings, controls and words in their order.
  const MAX_OUTLINE = 8000
  const outlined = () => {
    const lines = []
    let size = 0
    const visit = (node, depth) => {
      if (size > MAX_OUTLINE) return
      if (node.nodeType === Node.TEXT_NODE) {
        const text = node.textContent.trim().replaceAll(/\s+/g, ' ')
        if (text) add(depth, text)
        return
      }
      if (!(node instanceof Element) || ['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD'].includes(node.tagName))
        return
      if (node.checkVisibility && !node.checkVisibility()) return
      const isMeant =
        /^(?:h[1-6]|a|button|input|select|textarea|img|nav|main|header|footer|form|table|tr|li|section|dialog)$/
      const named = isMeant.test(node.localName) || node.hasAttribute('role')
      if (named) {
        const name =
          node.getAttribute('aria-label') ?? node.getAttribute('alt') ?? node.getAttribute('placeholder') ?? ''
        add(depth, `<${node.localName}${node.id ? `#${node.id}` : ''}>${name && ` ${name}`}`)
      }
      for (const child of node.childNodes) visit(child, named ? depth + 1 : depth)
    }
    const add = (depth, text) => {
      const line = `${'  '.repeat(Math.min(depth, 12))}${text}`
      size += line.length + 1
      lines.push(line)
    }
    visit(document.body, 0)
    return `${document.title} (${location.pathname}, ${innerWidth} × ${innerHeight})\n${lines.join('\n')}`.slice(
      0,
      MAX_OUTLINE,
    )
  }

  addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.channel !== CHANNEL) return
    const { type, isOn, to, path } = data.command ?? {}
    if (type === 'pick') pick(isOn === true)
    else if (type === 'outline') say({ type: 'outline', text: outlined() })
    else if (type === 'open' && typeof path === 'string' && path.startsWith('/')) location.assign(path)
    else if (type === 'go') {
      if (to === 'reload') location.reload()
      else history.go(to === 'back' ? -1 : 1)
    }
  })
  place()
})()
