import './notebook.css'
import { useQuery } from '@tanstack/react-query'
import { memo, useMemo, type ComponentType } from 'react'
import { plural } from '../../../../shared/language/plural'
import { parseNotebook, type NotebookCell, type NotebookOutput } from '../../../format/notebook'
import { useClient } from '../../../state/page/queries'
import { useCodeLines } from '../../../ui/code/highlighter'
import { TerminalText } from '../../../ui/content/terminal-text'
import { Skeleton } from '../../../ui/loading'
import { readBytes } from './file-bytes'

interface NotebookViewProps {
  sessionId: string
  path: string
  size: number
  version: string
  /** The whole text, if it is already loaded. */
  text: string | undefined
  Markdown: ComponentType<{ sessionId: string; path: string; text: string }>
}

/** A Jupyter notebook: its cells with their outputs. Nothing in it is run, and its HTML is not shown. */
export function NotebookView({ sessionId, path, size, version, text, Markdown }: NotebookViewProps) {
  const client = useClient()
  const { data, error } = useQuery({
    queryKey: ['notebook', sessionId, path, version],
    queryFn: async () => new TextDecoder().decode(await readBytes(client, { sessionId, path, size })),
    enabled: text === undefined,
    structuralSharing: false,
    gcTime: 0,
    retry: 1,
  })
  const whole = text ?? data
  const notebook = useMemo(() => (whole === undefined ? undefined : (parseNotebook(whole) ?? 'damaged')), [whole])
  if (error) return <p className="file-note">{error.message}</p>
  if (notebook === undefined)
    return (
      <div role="status" aria-label="Loading the notebook" className="p-4">
        <Skeleton className="w-1/2" />
      </div>
    )
  if (notebook === 'damaged')
    return <p className="file-note">This notebook cannot be shown as cells. Choose Source to see its text.</p>
  if (notebook.cells.length === 0) return <p className="file-note">The notebook has no cells.</p>
  return (
    <div className="notebook" tabIndex={0} role="group" aria-label="Notebook">
      <ol>
        {notebook.cells.map((cell, index) => (
          <li key={index} className="notebook-cell">
            <Cell cell={cell} language={notebook.language} />
            {cell.kind === 'markdown' && <Markdown sessionId={sessionId} path={path} text={cell.source} />}
            {cell.outputs.map((output, n) => (
              <Output key={n} output={output} />
            ))}
          </li>
        ))}
      </ol>
    </div>
  )
}

const Cell = memo(function Cell({ cell, language }: { cell: NotebookCell; language: string }) {
  const lines = useMemo(() => cell.source.split('\n'), [cell.source])
  const tokens = useCodeLines(lines, cell.kind === 'code' ? language : '', lines.length, false)
  if (cell.kind === 'markdown') return null
  const name = cell.kind === 'code' ? language : 'raw text'
  return (
    <figure className="notebook-code">
      <figcaption>
        {name}
        {cell.count !== undefined && <span title="Execution count">[{cell.count}]</span>}
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={`Code, ${name}`}>
        <code>
          {lines.map((line, n) => (
            <span key={n}>
              {tokens[n]?.map(({ text, kind }, at) => (
                <span key={at} className={`ct-${kind}`}>
                  {text}
                </span>
              )) ?? line}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  )
})

function Output({ output }: { output: NotebookOutput }) {
  switch (output.kind) {
    case 'text':
      return <TerminalText text={output.text} label={output.isError ? 'Error' : 'Output'} />
    case 'picture':
      return <img className="notebook-picture" src={`data:${output.mediaType};base64,${output.data}`} alt="Output" />
    case 'other':
      return (
        <p className="notebook-other">
          Output of {plural(output.types.length, 'type')} {output.types.join(', ') || 'unknown'} cannot be shown here.
        </p>
      )
    default:
      return output satisfies never
  }
}
