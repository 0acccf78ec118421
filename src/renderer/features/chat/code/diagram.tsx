import { useEffect, useState } from 'react'
import { CopyButton } from '../../../ui/content/copy-button'
import { CodeBlock } from './code-block'
import { diagramPicture, drawDiagram, type Picture } from './draw-diagram'

interface DiagramProps {
  code: string
  language: string
  streaming: boolean
}

/** A diagram that was written in Mermaid: drawn once it is complete; its source until then, on request, and where it has a mistake. */
export function Diagram({ code, language, streaming }: DiagramProps) {
  const isDark = useIsDark()
  const [source, setSource] = useState(false)
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState<string>()
  const present = streaming ? undefined : diagramPicture(code, isDark)
  // Until it is drawn in the other look, the one of before stays.
  const picture = present ?? (streaming ? undefined : diagramPicture(code, !isDark))
  useEffect(() => {
    if (streaming || present) return undefined
    let over = false
    drawDiagram(code, isDark).then(
      () => over || redraw((n) => n + 1),
      (error: unknown) => over || setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      over = true
    }
  }, [code, isDark, streaming, present])
  return (
    <div className="diagram">
      {picture && !source && problem === undefined ? (
        <DiagramPicture picture={picture} code={code} onBroken={() => setProblem('The diagram can’t be shown.')} />
      ) : (
        <CodeBlock code={code} language={language} streaming={streaming} />
      )}
      {problem !== undefined && !streaming && (
        <p className="diagram-problem" role="note">
          This diagram cannot be drawn: {problem.split('\n', 1)[0]}
        </p>
      )}
      {picture && problem === undefined && (
        <button type="button" className="diagram-switch" aria-pressed={source} onClick={() => setSource(!source)}>
          {source ? 'Show the diagram' : 'Show the source'}
        </button>
      )}
    </div>
  )
}

/** As a picture the drawing runs nothing, loads nothing and has no style but its own. */
function DiagramPicture({ picture, code, onBroken }: { picture: Picture; code: string; onBroken: () => void }) {
  const { url, width, height } = picture
  return (
    <figure>
      <div tabIndex={0} role="group" aria-label="Diagram">
        <img src={url} alt={`Diagram: ${code.trim().split('\n', 1)[0]}`} width={width} height={height} onError={onBroken} />
      </div>
      <CopyButton text={code} label="Copy the source of the diagram" />
    </figure>
  )
}

/** Which of the two looks the page has now. */
function useIsDark(): boolean {
  const [isDark, setDark] = useState(() => document.documentElement.dataset['theme'] === 'dark')
  useEffect(() => {
    const look = (): void => setDark(document.documentElement.dataset['theme'] === 'dark')
    const observer = new MutationObserver(look)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    look()
    return () => observer.disconnect()
  }, [])
  return isDark
}
