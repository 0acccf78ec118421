import { AsyncIteratorClass } from '@orpc/server'

/** Whether a method returned a subscription. */
export function isPushes(result: unknown): result is AsyncIterator<unknown, undefined> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** The pushes, with the error that ends them as clients expect it. */
export function mapped(
  pushes: AsyncIterator<unknown, undefined>,
  mapError: (error: unknown) => unknown,
): AsyncIteratorClass<unknown, undefined, void> {
  return new AsyncIteratorClass<unknown, undefined, void>(
    () =>
      pushes.next().catch((error: unknown) => {
        throw mapError(error)
      }),
    async () => void (await pushes.return?.()),
  )
}
