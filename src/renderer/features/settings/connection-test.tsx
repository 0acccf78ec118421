import { useMutation } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { failureFrom } from '../../client/failure-from'
import { duration } from '../../state/relative-time'
import { useClient } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'

/** One tiny request to a model, on demand. */
export function useConnectionTest() {
  const client = useClient()
  return useMutation({
    mutationFn: (id: string) => client.settings.testModel({ id }),
  })
}

type Test = ReturnType<typeof useConnectionTest>

/** How a test went, in words, with how long it took. */
export function TestResult({ test, className }: { test: Pick<Test, 'data' | 'error' | 'isPending'>; className?: string }) {
  const outcome = test.error ? { ok: false, message: failureFrom(test.error).message, durationMs: undefined } : test.data
  return (
    <div role="status" className={cx('text-ui', className)}>
      {!test.isPending && outcome && (
        <p className={cx('flex items-start gap-2', outcome.ok ? 'text-done-ink' : 'text-fail-ink')}>
          {outcome.ok ? (
            <CircleCheck aria-hidden className="mt-[2px] size-[14px] flex-none" />
          ) : (
            <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
          )}
          <span className="min-w-0 break-words">
            {outcome.ok ? 'Connected' : 'Couldn’t connect'}
            {outcome.durationMs !== undefined && `, after ${duration(outcome.durationMs)}`}
            {outcome.message && <span className="text-ink-2">: {outcome.message}</span>}
          </span>
        </p>
      )}
    </div>
  )
}

/** The button that tests one model. */
export function TestButton({ test, id }: { test: Test; id: string }) {
  return (
    <Button variant="quiet" size="small" busy={test.isPending} aria-label={`Test connection of ${id}`} onClick={() => test.mutate(id)}>
      Test connection
    </Button>
  )
}
