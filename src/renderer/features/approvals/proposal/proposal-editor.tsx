import { plural } from '../../../../shared/language/plural'
import './proposal-editor.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { EditedProposal } from '../../../../shared/model/approval/approval'
import { changedLines, fileDiffs } from '../../../../shared/model/approval/preview'
import { useEscape } from '../../../state/page/escape'
import { useClient } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { FileDiffList } from '../../../ui/code/diff-view'
import { Skeleton } from '../../../ui/loading'
import { onDemand } from '../../../ui/on-demand'
import { proposalParts, textWith, type ProposalPart, type ProposedChange } from './proposal-changes'
import { LoadError } from '../../../ui/load-error'

/** The editor of the file viewer; loaded when a text is edited. */
const EditField = onDemand(
  () => import('../../../ui/editor/edit-field').then((module) => module.EditField),
  () => <Skeleton className="h-32" />,
)

interface ProposalEditorProps {
  sessionId: string
  approvalId: string
  /** Allows the call with this text. */
  onAllow: (edited: EditedProposal) => void
  onBack: () => void
}

/** Lets the user accept only some changes of a proposal, or edit its text, before allowing it. */
export function ProposalEditor({ sessionId, approvalId, onAllow, onBack }: ProposalEditorProps) {
  const client = useClient()
  useEscape('form', true, onBack)
  const query = useQuery({
    queryKey: ['proposal', sessionId, approvalId],
    queryFn: async () => {
      const proposal = await client.approval.proposal({ sessionId, approvalId })
      if (!proposal) return null
      return { ...proposal, parts: await proposalParts(proposal.before ?? '', proposal.after) }
    },
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const { data, error } = query
  const back = (
    <Button variant="quiet" kbd="Esc" onClick={onBack}>
      Back
    </Button>
  )
  if (error || data === null) {
    return (
      <div className="proposal">
        {error ? (
          <LoadError query={query} />
        ) : (
          <p className="text-small text-ink-3">
            This change cannot be edited here: the file is too large, or not text.
          </p>
        )}
        <div className="proposal-acts">{back}</div>
      </div>
    )
  }
  if (!data) return <Skeleton className="m-3 h-16" />
  const { path, after, parts } = data
  return (
    <Editor which={{ sessionId, approvalId }} path={path} after={after} parts={parts} onAllow={onAllow} back={back} />
  )
}

interface EditorProps {
  which: { sessionId: string; approvalId: string }
  path: string
  after: string
  parts: readonly ProposalPart[]
  onAllow: (edited: EditedProposal) => void
  back: React.ReactNode
}

function Editor({ which, path, after, parts, onAllow, back }: EditorProps) {
  const client = useClient()
  const changes = parts.flatMap((part) => ('change' in part ? [part.change] : []))
  const [accepted, setAccepted] = useState<ReadonlySet<number>>(() => new Set(changes.keys()))
  const [text, setText] = useState(after)
  const [isTyping, setTyping] = useState(changes.length <= 1)
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => {
    first.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [])
  const edited = { path, text }
  // What is shown is what the engine would write, hooks included.
  const query = useQuery({
    queryKey: ['proposal', which.sessionId, which.approvalId, text],
    queryFn: ({ signal }) => client.approval.proposal({ ...which, edited }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const { data, error, isFetching } = query
  const choose = (index: number, isOn: boolean): void => {
    const next = new Set(accepted)
    if (isOn) next.add(index)
    else next.delete(index)
    setAccepted(next)
    setText(textWith(parts, next))
  }
  const files = fileDiffs(data?.preview)
  const count = changedLines(data?.preview)
  const isNothing = count?.added === 0 && count.removed === 0
  return (
    <div ref={first} className="proposal">
      {changes.length > 1 && !isTyping && (
        <fieldset className="proposal-changes">
          <legend>Changes to accept</legend>
          {changes.map((change, index) => (
            <label key={index} className="proposal-change">
              <input
                type="checkbox"
                checked={accepted.has(index)}
                aria-label={`Accept the change at line ${change.line}`}
                onChange={({ target }) => choose(index, target.checked)}
              />
              <ChangeLines change={change} />
            </label>
          ))}
        </fieldset>
      )}
      {isTyping ? (
        <>
          <p aria-hidden className="text-small text-ink-3">
            Text of the file
          </p>
          <EditField
            text={text}
            path={path}
            line={changes[0]?.line ?? 1}
            label="Text of the file"
            className="proposal-text"
            onChange={setText}
          />
        </>
      ) : (
        <Button size="small" onClick={() => setTyping(true)}>
          Edit the text
        </Button>
      )}
      <section aria-label="What will be written">
        <p className="mb-1 text-small text-ink-3">What will be written</p>
        {error && <LoadError query={query} />}
        {!error && <FileDiffList files={files} limit={200} />}
      </section>
      <div className="proposal-acts">
        <Button variant="primary" disabled={!data || isFetching || isNothing} onClick={() => onAllow(edited)}>
          Allow with these changes
        </Button>
        {back}
        {isNothing && <span className="text-small text-ink-3">Nothing would be written. Reject the call instead.</span>}
      </div>
    </div>
  )
}

const MAX_LINES = 8

function ChangeLines({ change: { line, old, new: fresh } }: { change: ProposedChange }) {
  const lines = [...old.map((text) => `-${text}`), ...fresh.map((text) => `+${text}`)]
  return (
    <span className="proposal-lines">
      <span className="text-tiny text-ink-3">Line {line}</span>
      {lines.slice(0, MAX_LINES).map((text, n) => (
        <span key={n} className="proposal-line" data-kind={text.startsWith('+') ? 'add' : 'del'}>
          {text.replace(/\n$/, '')}
        </span>
      ))}
      {lines.length > MAX_LINES && (
        <span className="text-tiny text-ink-3">
          and {lines.length - MAX_LINES} {plural(lines.length - MAX_LINES, 'more line')}
        </span>
      )}
    </span>
  )
}
