import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Server } from 'lucide-react'
import { useEffect, useState, useId, type FormEvent } from 'react'
import {
  isStartedByUs,
  launchNote,
  launchText,
  type PlaceView,
  type PlaceQuestion as Question,
} from '../../../shared/model/place/place'
import { failureFrom } from '../../client/failure-from'
import { stateText } from '../../state/places'
import { useClient, useQueries } from '../../state/page/queries'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { AddPlaceDialog } from './add-place-dialog'
import { usePlaceActions } from './place-actions'
import { TestResult } from './test-result'
import { Dialog } from '../../ui/overlay/dialog'
import { TextField } from '../../ui/form/field'
import { LoadError } from '../../ui/load-error'

/** Other machines, containers and jobs that sessions can work in. */
export function PlacesSection() {
  const queries = useQueries()
  const query = useQuery(
    queries.place.list.queryOptions({ staleTime: Infinity, retry: false, refetchOnMount: 'always' }),
  )
  const { data, error } = query
  const [adding, setAdding] = useState(false)
  /** The place that was just added: it is tested immediately. */
  const [added, setAdded] = useState<string>()
  return (
    <section aria-labelledby="settings-places">
      <SectionHead
        id="settings-places"
        title="Places"
        text="Other machines where agents work. Their sessions are in your list, and you answer their requests here."
      >
        <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
          Add a place
        </Button>
      </SectionHead>
      {error ? (
        <LoadError query={query} />
      ) : !data ? (
        <Skeleton className="h-24 w-full rounded-lg" />
      ) : data.length === 0 ? (
        <EmptyState
          icon={<Server aria-hidden />}
          title="No places yet"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add a machine you reach with ssh, a Slurm or Kubernetes cluster, or a container. Trestle copies itself there;
          keys stay on this machine.
        </EmptyState>
      ) : (
        <ul aria-label="Places" className="overflow-hidden rounded-lg border border-line bg-raised">
          {data.map((place) => (
            <PlaceRow key={place.placeId} place={place} testsAtOnce={place.placeId === added} />
          ))}
        </ul>
      )}
      {adding && (
        <AddPlaceDialog
          onClose={() => setAdding(false)}
          onAdded={(placeId) => {
            setAdding(false)
            setAdded(placeId)
          }}
        />
      )}
    </section>
  )
}

const TONES: Record<PlaceView['state'], Tone> = {
  idle: 'plain',
  waiting: 'wait',
  connecting: 'run',
  connected: 'done',
  unreachable: 'fail',
}

function PlaceRow({ place, testsAtOnce }: { place: PlaceView; testsAtOnce: boolean }) {
  const { placeId, launch, state, failure, version, sessions, staysRunning, models, question, parent } = place
  const note = launchNote(launch)
  const isStopped = failure?.code === 'place.stopped'
  const client = useClient()
  const queryClient = useQueryClient()
  const actions = usePlaceActions()
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: [['place']] })
  const test = useMutation({ mutationFn: () => client.place.test({ placeId }), onSettled: refresh })
  const update = useMutation({ mutationFn: () => client.place.update({ placeId }), onSettled: refresh })
  const { mutate: runTest } = test
  useEffect(() => {
    if (testsAtOnce) runTest()
  }, [testsAtOnce, runTest])
  const shown = update.isPending || (update.data && update.submittedAt > test.submittedAt) ? update : test
  const isBusy = test.isPending || update.isPending
  const details = [
    launchText(launch),
    ...(parent === undefined ? [] : [`for a session of ${parent}`]),
    ...(version === undefined ? [] : [`Trestle ${version}`]),
    `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    models === 'there' ? 'keys there' : 'keys here',
    ...(staysRunning === true ? ['continues when disconnected'] : []),
  ]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-[200px] flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 truncate font-medium">{placeId}</span>
          <Badge tone={isStopped ? 'plain' : TONES[state]}>{stateText(place)}</Badge>
        </p>
        <p className="text-small wrap-anywhere text-ink-3">{details.join(' · ')}</p>
        {/* A test shows it below, with its step. */}
        {note !== undefined && <p className="text-small text-ink-3">{note}</p>}
        {failure && !isStopped && shown.data?.ok !== false && (
          <p className="mt-0.5 text-small wrap-anywhere text-fail-ink">{failure.message}</p>
        )}
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button
          size="small"
          busy={test.isPending}
          disabled={isBusy}
          aria-label={`Test ${placeId}`}
          onClick={() => runTest()}
        >
          Test
        </Button>
        <Button
          size="small"
          variant="quiet"
          busy={update.isPending}
          disabled={isBusy}
          aria-label={`Update ${placeId}`}
          onClick={() => update.mutate()}
        >
          Update
        </Button>
        {state === 'connected' ? (
          <Button
            size="small"
            variant="quiet"
            aria-label={`Disconnect ${placeId}`}
            {...(isStartedByUs(launch) && { title: 'Also stops its container if nothing would be lost' })}
            onClick={() => void actions.disconnect(placeId)}
          >
            Disconnect
          </Button>
        ) : (
          <Button
            size="small"
            variant="quiet"
            disabled={isBusy || state === 'connecting'}
            aria-label={`${isStopped ? 'Start' : 'Connect'} ${placeId}`}
            onClick={() => void actions.connect(placeId)}
          >
            {isStopped ? 'Start' : 'Connect'}
          </Button>
        )}
        <Button
          size="small"
          variant="danger"
          aria-label={`Remove ${placeId}`}
          onClick={() => void actions.remove(placeId)}
        >
          Remove
        </Button>
      </div>
      {shown.data && <TestResult test={shown.data} />}
      {shown.error && <ErrorNote failure={failureFrom(shown.error)} className="w-full" />}
      {question && (
        <PlaceQuestion
          key={question.questionId}
          placeId={placeId}
          question={question}
          onAnswer={(answer) => void actions.answer(placeId, question.questionId, answer)}
        />
      )}
    </li>
  )
}

interface PlaceQuestionProps {
  placeId: string
  question: Question
  onAnswer: (answer: string | null) => void
}

/**
 * A question of ssh: a password, a passphrase, or whether to trust a host key. The answer is passed on and never
 * stored.
 */
function PlaceQuestion({ placeId, question, onAnswer }: PlaceQuestionProps) {
  const [answer, setAnswer] = useState('')
  const formId = useId()
  const isConfirm = question.kind === 'confirm'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onAnswer(isConfirm ? 'yes' : answer)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onAnswer(null)}
      title={isConfirm ? `Is this ${placeId}?` : `ssh asks for ${placeId}`}
      description={
        isConfirm
          ? 'Compare the fingerprint with what the machine’s owner tells you before you accept it.'
          : 'The answer goes to ssh and is not stored.'
      }
      footer={
        <>
          <Button variant="quiet" onClick={() => onAnswer(null)}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={!isConfirm && answer === ''}>
            {isConfirm ? 'Accept this key' : 'Continue'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{question.text}</p>
        {!isConfirm && (
          <TextField
            label={question.kind === 'secret' ? 'Password or passphrase' : 'Answer'}
            type={question.kind === 'secret' ? 'password' : 'text'}
            autoFocus
            className="mt-3"
            value={answer}
            onChange={(event) => setAnswer(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
