import { useMemo, useState } from 'react'
import { CopyButton } from '../../../ui/content/copy-button'
import { useCodeLines } from '../../../ui/code/use-code-lines'
import { CodeLine } from './code-line'

/** Lines shown at first; the rest on request, so that a long listing does not bury the conversation. */
const SHOWN_LINES = 120
/** While a long block grows, its end is what is of interest. */
const TAIL_LINES = 60

interface CodeBlockProps {
  code: string
  language: string
  /** The closing fence has not come yet. */
  streaming: boolean
}

/** A fenced block: language, copy button, highlighted lines. */
export function CodeBlock({ code, language, streaming }: CodeBlockProps) {
  const [all, setAll] = useState(false)
  const lines = useMemo(() => code.split('\n'), [code])
  const long = lines.length > SHOWN_LINES + 20
  const from = long && streaming ? lines.length - TAIL_LINES : 0
  const to = !long || streaming || all ? lines.length : SHOWN_LINES
  // Reading a block's beginning only to colour its end is not worth it: a long growing block gets its colours when it is done.
  const tokens = useCodeLines(lines, language, from > 0 ? 0 : to, streaming)
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language || 'text'}</span>
        {from > 0 && <span>· {from.toLocaleString()} lines above</span>}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre tabIndex={0} aria-label={language ? `Code, ${language}` : 'Code'}>
        <code>
          {lines.slice(from, to).map((line, n) => (
            <CodeLine key={from + n} line={line} tokens={tokens[from + n]} linked={!streaming} />
          ))}
        </code>
      </pre>
      {long && !streaming && (
        <button type="button" className="code-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${SHOWN_LINES} lines` : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
    </figure>
  )
}
