import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { PluginFileChange, PluginPart, PluginPlace, PluginReview } from '../../../shared/model/app/plugin'
import { shortPath } from '../../format/folder-name'
import { useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { DiffView } from '../../ui/code/diff-view'
import { VisibleTokens } from '../../ui/content/visible-tokens'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { placeOf, usePluginChange } from './plugin-actions'
import { LoadError } from '../../ui/load-error'

interface ReviewDialogProps {
  place: PluginPlace
  userHome: string | undefined
  onClose: () => void
}

const KINDS: readonly { kind: PluginPart['kind']; title: string; text: string }[] = [
  { kind: 'hook', title: 'Hooks', text: 'Commands that run automatically on agent events.' },
  { kind: 'server', title: 'MCP servers', text: 'Programs and services that give the agent tools.' },
  { kind: 'agent', title: 'Agents', text: 'Instructions for subagents, and the prompts beside them.' },
  { kind: 'skill', title: 'Skills', text: 'Instructions that the agent can load when relevant.' },
  { kind: 'command', title: 'Slash commands', text: 'Messages that you can send by name.' },
  { kind: 'file', title: 'Other files', text: 'Hooks and servers can run them.' },
]

/** Everything a plugin would do, what has changed since it was accepted, and the decision about it. */
export function ReviewDialog({ place, userHome, onClose }: ReviewDialogProps) {
  const queries = useQueries()
  // The reviewed content must not change while the user decides.
  const query = useQuery(
    queries.plugin.review.queryOptions({ input: placeOf(place), staleTime: 0, gcTime: 0, refetchOnWindowFocus: false }),
  )
  const { data: review, error } = query
  const accept = usePluginChange(
    (plugin, hash: string) => plugin.accept({ ...placeOf(place), hash }),
    ({ name }) => {
      showToast(`${name} is on`)
      onClose()
    },
  )
  const asks = review?.state === 'asked' || review?.state === 'changed'
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={review?.state === 'changed' ? `Review the changes of ${place.name}` : `Review ${place.name}`}
      description={review && <Head review={review} userHome={userHome} />}
      width={760}
      isText
      footer={
        asks ? (
          <>
            <Button variant="quiet" onClick={onClose}>
              Not now
            </Button>
            <Button
              variant="primary"
              busy={accept.isPending}
              onClick={() => accept.mutate(review.hash, { onError: () => void query.refetch() })}
            >
              Accept and turn on
            </Button>
          </>
        ) : undefined
      }
    >
      {review ? (
        <>
          {review.changes && review.changes.length > 0 && <Changes changes={review.changes} />}
          {KINDS.map(({ kind, title, text }) => (
            <Parts key={kind} title={title} text={text} parts={review.parts.filter((part) => part.kind === kind)} />
          ))}
          <p className="mt-4 font-mono text-tiny wrap-anywhere text-ink-3">Fingerprint {review.hash}</p>
        </>
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <div role="status" aria-busy>
          <span className="sr-only">Loading the plugin</span>
          <Skeleton className="h-24 w-full rounded-lg" />
        </div>
      )}
    </Dialog>
  )
}

function Head({ review, userHome }: { review: PluginReview; userHome: string | undefined }) {
  const { version, author, source, homepage, state } = review
  const from =
    source &&
    `${shortPath(source.from, userHome)}${source.commit === undefined ? '' : ` @ ${source.commit.slice(0, 10)}`}`
  return (
    <span className="wrap-anywhere">
      {[version, `by ${author}`, from, homepage].filter(Boolean).join(' · ')}
      {state === 'changed' && <span className="block">It is off because it changed since you accepted it.</span>}
      {state === 'asked' && <span className="block">It is off. Read what it would do before you accept it.</span>}
    </span>
  )
}

const CHANGES = { added: 'new', removed: 'removed', changed: 'changed' } as const

function Changes({ changes }: { changes: readonly PluginFileChange[] }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-5">
      <h3 id={id} className="mb-1.5 font-semibold">
        Changed since you accepted it
      </h3>
      <div className="space-y-2">
        {changes.map(({ file, change, diff }) => (
          <div key={file} className="overflow-hidden rounded-md border border-line">
            <p className="border-b border-line bg-sunken px-2.5 py-1 text-small wrap-anywhere">
              <span className="font-mono">{file}</span> <span className="text-ink-2">{CHANGES[change]}</span>
            </p>
            {diff === '' ? (
              <p className="px-2.5 py-1.5 text-small text-ink-2">Not text, or too large to show.</p>
            ) : (
              <DiffView diff={diff} limit={40} />
            )}
          </div>
        ))}
      </div>
    </section>
  )
}

function Parts({ title, text, parts }: { title: string; text: string; parts: readonly PluginPart[] }) {
  const id = useId()
  if (parts.length === 0) return null
  return (
    <section aria-labelledby={id} className="mb-5">
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      <p className="mb-1.5 text-small text-ink-3">{text}</p>
      <ul className="space-y-2">
        {parts.map(({ name, file, lines }, index) => (
          <li key={index} className="overflow-hidden rounded-md border border-line">
            <p className="border-b border-line bg-sunken px-2.5 py-1 text-small wrap-anywhere">
              <span className="font-medium">{name}</span>{' '}
              {file !== name && <span className="font-mono text-tiny text-ink-2">{file}</span>}
            </p>
            <div className="px-2.5 py-1.5 font-mono text-small wrap-anywhere whitespace-pre-wrap">
              {lines.map((line, at) => (
                <div key={at}>{line === '' ? ' ' : <VisibleTokens text={line} />}</div>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
