/* oxlint-disable unicorn/consistent-function-scoping, no-underscore-dangle, no-unused-expressions -- one function, so that nothing is global in the page; frameworks name their notes so */
// What is run in previewed pages to show the agent what the user sees: picking an element, and the page as text. `say`
// gets what the user picked.
;(say) => {
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

  return { pick, outlined }
}
