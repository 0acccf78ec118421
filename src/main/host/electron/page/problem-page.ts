import type { WebContents } from 'electron'
import { errorCode, errorText } from '../../../../shared/error-text'
import { APP_ORIGIN } from '../../../../shared/contract/page-host'
import { CodedError } from '../../../../shared/errors'

/** A problem shown instead of the page when the page or the engine cannot run. */
export interface Problem {
  title: string
  /** Sentences: what happened, and what to do. */
  text: string[]
  /** Technical details for support. */
  details?: string
  actions: { id: string; label: string; run(): void }[]
}

const PREFIX = '/problem/'

/**
 * The problems that windows show, each at its own URL. The page has no script: its buttons are links without a target,
 * and following one triggers the action. It works even if nothing else does, and no other page can trigger its actions.
 */
export class ProblemPages {
  readonly #problems = new Map<string, { problem: Problem; contents: WebContents }>()
  #count = 0

  /** Shows a problem instead of the page. */
  show(contents: WebContents, problem: Problem): Promise<void> {
    this.forget(contents)
    this.#count += 1
    const id = String(this.#count)
    this.#problems.set(id, { problem, contents })
    return contents.loadURL(`${APP_ORIGIN}${PREFIX}${id}`)
  }

  forget(contents: WebContents): void {
    for (const [id, shown] of this.#problems) if (shown.contents === contents) this.#problems.delete(id)
  }

  isShown(contents: WebContents): boolean {
    return [...this.#problems.values()].some((shown) => shown.contents === contents)
  }

  /** The document at a URL of the app; undefined for unknown URLs. */
  document(path: string): string | undefined {
    const shown = path.startsWith(PREFIX) ? this.#problems.get(path.slice(PREFIX.length)) : undefined
    return shown && documentOf(shown.problem, path)
  }

  /** Runs the action whose link was followed in these contents; false if the URL is not an action. */
  follow(contents: WebContents, url: string): boolean {
    if (!url.startsWith(`${APP_ORIGIN}${PREFIX}`)) return false
    const [id = '', action = ''] = url.slice(APP_ORIGIN.length + PREFIX.length).split('/')
    const shown = this.#problems.get(id)
    if (shown?.contents === contents) shown.problem.actions.find((one) => one.id === action)?.run()
    return true
  }
}

/** Its content security policy: inline styles only. */
export const PROBLEM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cache-control': 'no-store',
}

/** Colors of renderer/styles/tokens.css, in sRGB. */
const STYLE = `
  :root { color-scheme: light dark; --paper: #fbfaf8; --ink: #2a2722; --quiet: #6b665e; --line: #dcd8d0;
    --button: #ffffff }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #181714; --ink: #efece6; --quiet: #a8a39a; --line: #3a3732; --button: #23211d }
  }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px;
    background: var(--paper); color: var(--ink);
    font: 14px/1.55 Inter, system-ui, sans-serif }
  main { width: min(560px, 100%); overflow-wrap: anywhere }
  h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; letter-spacing: -0.01em }
  p { margin: 0 0 10px }
  details { margin: 14px 0 0; color: var(--quiet) }
  summary { cursor: pointer }
  pre { max-height: 40vh; overflow: auto; margin: 8px 0 0; padding: 10px 12px; border: 1px solid var(--line);
    border-radius: 8px;
    font: 12px/1.5 "JetBrains Mono", ui-monospace, monospace; white-space: pre-wrap }
  nav { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 20px }
  a { padding: 6px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--button);
    color: inherit; text-decoration: none }
  a:first-child { background: var(--ink); border-color: var(--ink); color: var(--paper) }
  a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px }
`

function documentOf({ title, text, details, actions }: Problem, path: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Trestle: ${escaped(title)}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escaped(title)}</h1>
${text.map((sentence) => `<p>${escaped(sentence)}</p>`).join('\n')}
<nav aria-label="What to do">${actions.map(({ id, label }) => `<a role="button" href="${path}/${id}">${escaped(label)}</a>`).join('')}</nav>
${details === undefined ? '' : `<details><summary>Technical details</summary><pre tabindex="0">${escaped(details)}</pre></details>`}
</main></body>
</html>`
}

function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, (sign) => names[sign] ?? sign)
}

/** Title and text for an error that prevents startup, with what to do. */
export function startFailureText(error: unknown): { title: string; text: string[] } {
  if (error instanceof CodedError) return { title: error.failure.title, text: [error.message, error.failure.advice] }
  return { title: 'Trestle cannot start', text: [errorText(error)] }
}

/** Whether the error is a broken connection, which affects nothing else. */
export function isConnectionError(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return [
    'EPIPE',
    'ECONNRESET',
    'ECONNABORTED',
    'ETIMEDOUT',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_WRITE_AFTER_END',
  ].includes(code)
}

/** For the log. */
export function errorDetails(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
