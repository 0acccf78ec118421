import './files.css'
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ComponentType } from 'react'
import type { TextMatch } from '../../../shared/model/project/file-view'
import { visiblePath } from '../../../shared/visible-text'
import { isNotebook } from '../../format/notebook-lines'
import { isShortcut } from '../../format/shortcut'
import { Skeleton } from '../../ui/loading'
import { onDemand } from '../../ui/on-demand'
import { failureFrom } from '../../client/failure-from'
import { useBlame } from '../../state/git/use-blame'
import { Button } from '../../ui/button'
import { FileBar } from './file-bar'
import { HexView } from './content/hex-view'
import { ImageView } from './content/image-view'
import { TextView, type TextViewHandle } from './content/text-view'
import { FindBar } from './find/find-bar'
import { GoToLine } from './find/go-to-line'
import { SymbolList } from './find/symbol-list'
import { useFindInFile } from './find/use-find'
import { draftOf } from './edit/drafts'
import { useFile } from './use-file'

const PdfView = onDemand(() => import('./content/pdf-view').then((module) => module.PdfView))
/** Larger notebooks are shown as text. */
const MAX_NOTEBOOK_BYTES = 50 * 1024 * 1024

const NotebookView = onDemand(() => import('./content/notebook-view').then((module) => module.NotebookView))
const EditView = onDemand(
  () => import('./edit/edit-view').then((module) => module.EditView),
  () => <Skeleton className="m-4 w-1/2" />,
)

export interface FilePaneProps {
  sessionId: string
  path: string
  line?: number | undefined
  /** Renders Markdown whose links and images are relative to a file. */
  Markdown: ComponentType<{ sessionId: string; path: string; text: string }>
}

type Tool = 'find' | 'line' | 'symbols'

/** One file, as text, image, PDF or bytes; it can be edited, and follows changes on disk. */
export function FilePane({ sessionId, path, line, Markdown }: FilePaneProps) {
  const { view, text, problem, reload } = useFile(sessionId, path)
  const pane = useRef<HTMLElement>(null)
  const shown = useRef<TextViewHandle>(null)
  const [tool, setTool] = useState<Tool>()
  const [isEditing, setEditing] = useState(() => draftOf(sessionId, path) !== undefined)
  const [isRendered, setRendered] = useState(line === undefined)
  const [marked, setMarked] = useState(line)
  const [showsBlame, setShowsBlame] = useState(false)
  const blame = useBlame(sessionId, path, showsBlame, view?.version ?? '')
  const firstLine = useCallback(() => shown.current?.firstLine() ?? 1, [])
  const find = useFindInFile({ sessionId, path, version: view?.version }, tool === 'find', firstLine)

  const isMarkdown = /\.(?:md|markdown|mdx)$/i.test(path) && text?.whole !== undefined
  const isDrawing = view?.mediaType === 'image/svg+xml'
  const hasCells = isNotebook(path) && view?.content === 'text' && view.size > 0 && view.size <= MAX_NOTEBOOK_BYTES
  const isSource = view?.content === 'text' && !((isMarkdown || isDrawing || hasCells) && isRendered)
  const hasText = text !== undefined && isSource && !isEditing

  const showLine = useCallback((target: number) => {
    setMarked(target)
    setTool(undefined)
    shown.current?.showLine(target)
    shown.current?.focus()
  }, [])
  // A link to another line of this file was opened, or the first lines have arrived.
  const isReady = text !== undefined
  const [asked, setAsked] = useState(line)
  if (line !== asked) {
    setAsked(line)
    setMarked(line)
    if (line !== undefined) setRendered(false)
  }
  const shownLine = useRef<number>(undefined)
  useLayoutEffect(() => {
    // Only once: after a switch to another tab and back, the scroll position stays.
    if (line === undefined || !isReady || shownLine.current === line) return
    shownLine.current = line
    shown.current?.showLine(line)
  }, [line, isReady])
  const step = (by: 1 | -1): void => {
    const match: TextMatch | undefined = find.step(by)
    if (match) shown.current?.showLine(match.line)
  }
  // Typing goes to the first match below, unless the user has chosen one since.
  const { byLine } = find
  const showMatch = useEffectEvent((lines: readonly number[]): void => {
    const first = find.current?.line ?? lines.find((line) => line >= firstLine()) ?? lines[0]
    if (first !== undefined) shown.current?.showLine(first)
  })
  useEffect(() => showMatch([...byLine.keys()]), [byLine])

  const [editedLine, setEditedLine] = useState(1)
  const startEditing = (): void => {
    setEditedLine(firstLine())
    setEditing(true)
  }
  const closeTool = (): void => {
    setTool(undefined)
    shown.current?.focus()
  }
  const openTool = (next: Tool): void => {
    setRendered(false)
    setTool(next)
  }
  const canFind = view?.content === 'text' && !isEditing
  const onKeyDown = useEffectEvent((event: KeyboardEvent): void => {
    if (!canFind) return
    const next: Tool | undefined = isShortcut(event, 'Mod+F')
      ? 'find'
      : isShortcut(event, 'Mod+G')
        ? 'line'
        : isShortcut(event, 'Mod+Shift+O')
          ? 'symbols'
          : undefined
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    openTool(next)
  })
  useEffect(() => {
    const element = pane.current
    const listener = (event: KeyboardEvent): void => onKeyDown(event)
    element?.addEventListener('keydown', listener)
    return () => element?.removeEventListener('keydown', listener)
  }, [])
  const canEdit = view?.content === 'text' && text !== undefined
  return (
    <section ref={pane} aria-label={`File ${visiblePath(view?.path ?? path)}`} className="file-pane">
      <FileBar
        sessionId={sessionId}
        path={path}
        view={view}
        line={() => marked ?? firstLine()}
        onFind={canFind ? () => openTool('find') : undefined}
        onGoToLine={canFind ? () => openTool('line') : undefined}
        onSymbols={canFind ? () => openTool('symbols') : undefined}
        blame={canFind ? { isOn: showsBlame, toggle: () => setShowsBlame(!showsBlame) } : undefined}
        text={text?.whole && !isEditing ? () => (text.whole ?? []).join('\n') : undefined}
        onEdit={canEdit && !isEditing && view.text?.notEditable === undefined ? startEditing : undefined}
      >
        {(isMarkdown || isDrawing || hasCells) && !isEditing && (
          <span role="group" aria-label="Show as" className="file-ways">
            <button type="button" aria-pressed={!isSource} onClick={() => setRendered(true)}>
              {isDrawing ? 'Image' : hasCells ? 'Cells' : 'Rendered'}
            </button>
            <button type="button" aria-pressed={isSource} onClick={() => setRendered(false)}>
              Source
            </button>
          </span>
        )}
      </FileBar>
      {tool === 'find' && hasText && <FindBar find={find} onStep={step} onClose={closeTool} />}
      {tool === 'line' && text && (
        <GoToLine total={text.total} isCounted={text.isCounted} onGo={showLine} onClose={() => setTool(undefined)} />
      )}
      {tool === 'symbols' && view && (
        <SymbolList
          sessionId={sessionId}
          path={path}
          version={view.version}
          onGo={showLine}
          onClose={() => setTool(undefined)}
        />
      )}
      {showsBlame && blame.error && (
        <p role="status" className="file-banner">
          <span>{failureFrom(blame.error).message}</span>
          <Button size="small" variant="quiet" onClick={() => setShowsBlame(false)}>
            Dismiss
          </Button>
        </p>
      )}
      {problem !== undefined && view && !isEditing && (
        <p role="status" className="file-banner">
          <span>{problem} Its last content is shown.</span>
          <Button size="small" variant="quiet" onClick={reload}>
            Look again
          </Button>
        </p>
      )}
      {isEditing ? (
        <EditView
          sessionId={sessionId}
          path={path}
          line={marked ?? editedLine}
          version={view?.version}
          onClose={() => {
            setEditing(false)
            reload()
          }}
        />
      ) : !view ? (
        problem === undefined ? (
          <div role="status" aria-label="Loading the file" className="space-y-3 p-4">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-1/2" />
          </div>
        ) : (
          <div role="alert" className="file-note">
            <p>{problem}</p>
            <Button size="small" onClick={reload}>
              Look again
            </Button>
          </div>
        )
      ) : view.content === 'image' ? (
        <ImageView
          sessionId={sessionId}
          path={path}
          size={view.size}
          version={view.version}
          mediaType={view.mediaType ?? 'image/png'}
        />
      ) : view.content === 'pdf' ? (
        <PdfView sessionId={sessionId} path={path} size={view.size} version={view.version} />
      ) : view.content === 'binary' ? (
        <HexView key={view.version} sessionId={sessionId} path={path} size={view.size} version={view.version} />
      ) : !text || view.size === 0 ? (
        <p className="file-note">The file is empty.</p>
      ) : !isSource && isDrawing ? (
        <ImageView
          sessionId={sessionId}
          path={path}
          size={view.size}
          version={view.version}
          mediaType="image/svg+xml"
        />
      ) : !isSource && hasCells ? (
        <NotebookView
          sessionId={sessionId}
          path={view.absolutePath}
          size={view.size}
          version={view.version}
          text={text.whole?.join('\n')}
          Markdown={Markdown}
        />
      ) : !isSource ? (
        <div className="file-rendered" tabIndex={0} role="group" aria-label={visiblePath(view.path)}>
          <Markdown sessionId={sessionId} path={view.absolutePath} text={(text.whole ?? []).join('\n')} />
        </div>
      ) : (
        <>
          {marked !== undefined && text.isCounted && marked > text.total && (
            <p role="status" className="file-banner">
              The file no longer has a line {marked}.
            </p>
          )}
          <TextView
            ref={shown}
            path={view.path}
            text={text}
            marked={marked}
            matches={find.byLine}
            currentMatch={find.current}
            blame={showsBlame && !blame.error ? blame : undefined}
          />
        </>
      )}
    </section>
  )
}
