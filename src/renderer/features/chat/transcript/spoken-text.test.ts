import { expect, test } from 'vitest'
import { spokenText } from './spoken-text'

test.each([
  ['**Done.** It was _one_ `line` in [the docs](https://example.com).', 'Done. It was one line in the docs.'],
  ['# Result\n\n> quoted\n\n---\n\nEnd', 'Result\nquoted\nEnd'],
  ['> [!WARNING]\n> Mind the *gap*.', 'Warning: Mind the gap.'],
  ['```mermaid\nflowchart LR\n  A --> B\n```\n\nThat is all.', 'A diagram.\nThat is all.'],
  ['Run:\n\n```sh\nnpm test # **all**\n```\n', 'Run:\nnpm test # **all**'],
  ['- one\n- two\n  - **three**\n\n3. first\n4. second', 'one\ntwo\nthree\n3. first\n4. second'],
  ['- [x] written\n- [ ] tested', 'Done: written\nTo do: tested'],
  ['| Name | Cost |\n| --- | ---: |\n| `a` | 3 |', 'Name, Cost\na, 3'],
  ['a \\* b &lt; c ![a chart](chart.png) <b>bold</b>', 'a * b < c a chart bold'],
  ['<details><summary>More</summary>\n\n**inside**\n\n</details>', 'More\ninside'],
  ['Twice as much[^1]: $x^2$\n\n[^1]: **Source**', 'Twice as much: x^2\nSource'],
  ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
])('speaks the text of Markdown without its marks: %j', (source, spoken) => {
  expect(spokenText(source)).toBe(spoken)
})
