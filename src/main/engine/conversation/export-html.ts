import { Marked, type Tokens } from 'marked'
import { safeLink } from '../../../shared/safe-link'
import { doneLabel } from '../../../shared/tool-label'
import type { ConversationBlock } from './conversation-blocks'
import { oneLine, shortened } from './export-markdown'

const STYLE = `
:root{color-scheme:light dark;--paper:#fbfaf8;--ink:#1d1c1a;--muted:#6b6862;--line:#dedad3;--sunken:#f1eee9;
--link:#1f5fa8;--fail:#a3261b}
@media (prefers-color-scheme:dark){:root{--paper:#191817;--ink:#ecebe7;--muted:#a19d95;--line:#393632;
--sunken:#242220;--link:#84b6f4;--fail:#ff9d92}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.6 system-ui,sans-serif}
main{max-width:760px;margin:0 auto;padding:32px 20px 80px}
h1{font-size:22px;line-height:1.3;margin:0 0 4px}
h2{font-size:13px;margin:28px 0 6px;color:var(--muted);font-weight:600}
h2 time,header p{font-weight:400;color:var(--muted);font-size:13px}
header p{margin:0}
.you{background:var(--sunken);border:1px solid var(--line);border-radius:10px;padding:10px 14px;
white-space:pre-wrap;overflow-wrap:anywhere}
.answer{overflow-wrap:anywhere}
.answer h1,.answer h2,.answer h3,.answer h4{color:var(--ink);margin:18px 0 6px;line-height:1.3}
.answer h1{font-size:19px}.answer h2{font-size:17px}.answer h3,.answer h4{font-size:15px}
a{color:var(--link)}
pre,code{font:13px/1.5 ui-monospace,SFMono-Regular,Consolas,monospace}
code{background:var(--sunken);border-radius:4px;padding:1px 4px}
pre{background:var(--sunken);border:1px solid var(--line);border-radius:8px;padding:10px 12px;
overflow:auto;max-height:480px}
pre code{background:none;padding:0}
table{border-collapse:collapse;display:block;overflow:auto}
th,td{border:1px solid var(--line);padding:4px 10px;text-align:start}
blockquote{margin:0;padding:0 0 0 14px;border-inline-start:3px solid var(--line);color:var(--muted)}
img{max-width:100%;border-radius:8px}
details{margin:8px 0}
summary{cursor:pointer;color:var(--muted);overflow-wrap:anywhere}
summary b{color:var(--ink);font-weight:600}
.failed{color:var(--fail)}
`

export interface HtmlPage {
  title: string
  /** The folder of the project, or undefined for none. */
  folder: string | undefined
  createdAt: number
}

/** Images that a browser shows without running anything. */
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif)$/

/** A conversation as one self-contained page: no scripts, and nothing is loaded. HTML in messages is shown as text. */
export function htmlOf({ title, folder, createdAt }: HtmlPage, blocks: readonly ConversationBlock[]): string {
  const marked = safeMarked()
  const body = blocks.map((block) => blockHtml(block, marked)).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<h1>${escape(title)}</h1>
<p>${folder === undefined ? '' : `${escape(folder)} · `}${timeHtml(createdAt)}</p>
</header>
${body}
</main>
</body>
</html>
`
}

function blockHtml(block: ConversationBlock, marked: Marked): string {
  switch (block.kind) {
    case 'you': {
      const images = block.media.flatMap(({ mediaType, data, name }) =>
        IMAGES.test(mediaType) && /^[A-Za-z0-9+/=]*$/.test(data)
          ? [`<p><img src="data:${mediaType};base64,${data}" alt="${escape(name ?? 'Image')}"></p>`]
          : [`<p>${escape(name ?? mediaType)}</p>`],
      )
      return (
        `<h2>You ${timeHtml(block.at)}</h2>\n` +
        `<div class="you" dir="auto">${images.join('')}${escape(block.text)}</div>`
      )
    }
    case 'trestle':
      return `<h2>Trestle ${timeHtml(block.at)}</h2>\n<div class="you" dir="auto">${escape(block.text)}</div>`
    case 'agent': {
      const thinking =
        block.thinking.trim() === ''
          ? ''
          : `<details><summary>Thought</summary><pre>${escape(block.thinking)}</pre></details>\n`
      const model = block.model === undefined ? '' : ` · ${escape(block.model)}`
      const text =
        block.text.trim() === ''
          ? ''
          : `<div class="answer" dir="auto">${marked.parse(block.text, { async: false })}</div>`
      return `<h2>Agent${model}${block.isPartial ? ' (incomplete)' : ''} ${timeHtml(block.at)}</h2>\n${thinking}${text}`
    }
    default: {
      const failed = block.isError ? ' <span class="failed">failed</span>' : ''
      const summary = `<b>${escape(doneLabel(block.name))}</b> ${escape(oneLine(block.summary))}${failed}`
      return `<details><summary>${summary}</summary><pre>${escape(shortened(block.result))}</pre></details>`
    }
  }
}

function timeHtml(at: number): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime())
    ? ''
    : `<time datetime="${time.toISOString()}">${time.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`
}

/** Markdown without anything that runs, loads or submits: HTML becomes text, only plain links are links. */
function safeMarked(): Marked {
  return new Marked({
    gfm: true,
    async: false,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
      link({ href, tokens }: Tokens.Link) {
        const address = safeLink(href)
        const text = this.parser.parseInline(tokens)
        return address === undefined
          ? text
          : `<a href="${escape(address)}" rel="noopener noreferrer" target="_blank">${text}</a>`
      },
      // An image could be loaded from anywhere.
      image: ({ href, text }: Tokens.Image) => escape(text === '' ? href : text),
    },
  })
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
