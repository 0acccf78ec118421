import type { Locator } from '@playwright/test'
import { expect, test } from './app'
import { findingsInBothThemes } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

interface CellElement {
  ownerDocument: {
    createRange(): { selectNodeContents(node: unknown): void; getClientRects(): Iterable<{ top: number }> }
  }
}

/** The number of lines that a cell's text takes. */
const linesOf = (cell: Locator): Promise<number> =>
  cell.evaluate((element) => {
    const text = (element as unknown as CellElement).ownerDocument.createRange()
    text.selectNodeContents(element)
    return new Set(Array.from(text.getClientRects(), ({ top }) => Math.round(top))).size
  })

const RICH = [
  'Inline $E = mc^2$ and \\(a^2 + b^2\\), but it costs $5 and $10.',
  '\\[\n\\int_0^1 f(x)\\,dx = \\frac{\\pi}{4}\n\\]',
  '```mermaid\nflowchart LR\n  A[Read] --> B{Fits?}\n  B -->|yes| C[Send]\n  B -->|no| D[Compact]\n```',
  '```mermaid\nflowchart LR\n  A --> [[[\n```',
  'Press <kbd>Ctrl</kbd>+<kbd>K</kbd>, H<sub>2</sub>O, 2<sup>10</sup>. A footnote[^1], and [^none].',
  '> [!WARNING]\n> Mind the *gap*.',
  '<details>\n<summary>All the <b>rest</b></summary>\n\n- hidden **item**\n\n</details>',
  '- [x] done\n- [ ] open',
  '| Package | Size | Version | Notes |\n|---|---:|---|---|\n| core | 1,204 kB | 1.0.0-beta ' +
    '| A long note that explains at length what this package is for and why it is as large as it is today. |',
  '```elixir\ndefmodule Greeter do\n  def hello, do: "hi"\nend\n```',
  '[^1]: The note itself.',
].join('\n\n')

test.describe('an answer with every Markdown element', () => {
  test.use({ model: { script: [{ text: RICH }] } })

  test('renders formulas, diagrams, footnotes, alerts, collapsible sections and keys', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'show me everything')
    const answer = page.locator('.answer')
    await expect(answer.locator('.katex')).toHaveCount(3)
    await expect(answer.locator('.katex-display')).toHaveCount(1)
    await expect(answer).toContainText('it costs $5 and $10.')
    const diagram = answer.getByRole('img', { name: 'Diagram: flowchart LR' })
    await expect(diagram).toBeVisible()
    await expect
      .poll(() => diagram.evaluate((image: { naturalWidth?: number }) => image.naturalWidth ?? 0))
      .toBeGreaterThan(100)
    await expect(answer.getByText(/This diagram cannot be drawn/)).toBeVisible()
    await expect(answer.locator('kbd')).toHaveText(['Ctrl', 'K'])
    await expect(answer.locator('sub')).toHaveText('2')
    await expect(answer).toContainText('[^none]')
    await answer.getByRole('button', { name: 'Footnote 1', exact: true }).click()
    await expect(answer.locator('[data-footnote="1"]')).toBeFocused()
    await expect(answer.locator('blockquote')).toContainText('Warning')
    await expect(answer.locator('blockquote')).not.toContainText('[!WARNING]')
    const item = answer.getByText('hidden item')
    await expect(item).toBeHidden()
    await answer.getByText('All the rest').click()
    await expect(item).toBeVisible()
    await expect(answer.locator('.ct-keyword').first()).toBeVisible()
    await page.setViewportSize({ width: 420, height: 900 })
    await expect.poll(() => linesOf(answer.getByRole('cell', { name: 'A long note' }))).toBeGreaterThan(1)
    await expect.poll(() => linesOf(answer.getByRole('cell', { name: '1,204 kB' }))).toBe(1)
    await expect.poll(() => linesOf(answer.getByRole('cell', { name: '1.0.0-beta' }))).toBe(1)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await findingsInBothThemes(page)).toEqual([])
    await pictures(app, 'rich-text')
  })
})

const PARTS = [
  '## Part\n\nProse with `code`, **bold *nested* text**, [a late link] and $x^2$.[^1]',
  '- one\n- two\n  - nested\n\n1. first\n2. second',
  '| a | b |\n|---|--:|\n| 1 | 2 |',
  '```ts\nconst a = 1 // see src/app.ts:3\n```',
  '> [!NOTE]\n> Mind this.',
  '\\[\ny = 1\n\\]',
  '- [x] done\n\n<details><summary>More</summary>\n\ninside\n\n</details>',
]
const LONG =
  `${Array.from({ length: 12 }, () => PARTS.join('\n\n')).join('\n\n')}\n\n` +
  '[a late link]: https://example.com/late\n\n[^1]: The note.\n'

test.describe('a long answer that arrives in pieces', () => {
  test.use({ model: { script: [{ text: LONG, deltaChars: 7 }] } })

  test('looks the same after streaming as after a reload', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'write a lot')
    const content = page.locator('.answer .md')
    const colored = content.locator('pre', { has: page.locator('.ct-keyword') })
    // Ignores which parts may be skipped off screen, and the IDs that React generates.
    const source = () =>
      content.evaluate(({ innerHTML }: { innerHTML: string }) =>
        innerHTML.replaceAll(' data-passed="true"', '').replaceAll(/«\w+»|_r_\w+_/g, 'id'),
      )
    await expect(content.getByText('The note.')).toBeVisible()
    await expect(page.locator('.md[data-streaming]')).toHaveCount(0)
    await expect(colored).toHaveCount(12)
    await expect(content.getByRole('link', { name: 'a late link' })).toHaveCount(12)
    const written = await source()
    await page.reload()
    await expect(colored).toHaveCount(12)
    await expect.poll(source).toBe(written)
  })
})

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 2">',
  '<p onclick="window.hacked = 3" style="position:fixed;inset:0;z-index:9999;background:red">cover</p>',
  '<style>.answer { display: none }</style>',
  '<a href="javascript:window.hacked=4">link</a> and [another](javascript:window.hacked=5)',
  '<details ontoggle="window.hacked = 6" open><summary>s</summary>inner ' +
    '<img src="http://127.0.0.1:9/pixel.png"></details>',
  '$\\href{javascript:window.hacked=7}{x}$ $\\includegraphics{http://127.0.0.1:9/a.png}$ $\\rule{9999em}{9999em}$',
  '```mermaid\nflowchart LR\n  A["<img src=x onerror=window.hacked=8>"] --> B\n' +
    '  click A "javascript:window.hacked=9"\n```',
  '```mermaid\n%%{init: {"themeCSS": "body { display: none !important }", ' +
    '"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  C --> D\n```',
  '![pixel](http://127.0.0.1:9/pixel.png)',
].join('\n\n')

test.describe('a malicious answer', () => {
  test.use({ model: { script: [{ text: HOSTILE }, { text: 'Still here.' }] } })

  test('runs nothing, loads nothing and covers nothing', async ({ app }) => {
    const { page } = app
    const foreign: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('pixel') || request.url().includes('a.png')) foreign.push(request.url())
    })
    await startSession(app)
    await sendPrompt(page, 'attack me')
    const answer = page.locator('.answer')
    await expect(answer.getByText('cover')).toBeVisible()
    await expect(answer.getByRole('img', { name: /^Diagram/ }).first()).toBeVisible()
    await answer.getByText('cover').click()
    await answer.getByText('another').click()
    const cover = await answer.getByText('cover').boundingBox()
    expect(cover?.height).toBeLessThan(100)
    // Nothing covers the composer: it accepts a click and a further prompt.
    await page.getByRole('textbox', { name: 'Message', exact: true }).click()
    await sendPrompt(page, 'still there?')
    await expect(transcriptText(page, 'Still here.')).toBeVisible()
    expect(await page.evaluate("'hacked' in window")).toBe(false)
    expect(foreign).toEqual([])
    await pictures(app, 'hostile-text')
  })
})
