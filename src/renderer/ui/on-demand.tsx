import { useEffect, useSyncExternalStore, type ComponentType, type ReactNode } from 'react'
import { Button } from './button'
import { ErrorNote } from './notice'

/** A component whose code is loaded when it is first needed, or earlier. */
export interface OnDemand<Props> {
  (props: Props): ReactNode
  /** Loads the code now, so that it is ready when the component is shown. */
  preload: () => Promise<void>
}

/**
 * Makes a lazy component from `load`. Once loaded it renders immediately, in the same frame; until then `renderWaiting`
 * is shown. A failed load shows an error instead of the component, with a retry button.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  renderWaiting: (props: Props) => ReactNode = () => null,
): OnDemand<Props> {
  let state: { Component?: ComponentType<Props>; error?: Error } = {}
  let loading: Promise<void> | undefined
  const listeners = new Set<() => void>()
  const change = (next: typeof state): void => {
    state = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (Component) => change({ Component }),
      (error: unknown) => {
        loading = undefined
        change({ error: error instanceof Error ? error : new Error('The code could not be fetched.') })
      },
    )
    return loading
  }

  function Part(props: Props): ReactNode {
    const { Component, error } = useSyncExternalStore(subscribe, () => state)
    useEffect(() => {
      if (!state.Component && state.error === undefined) void preload()
    }, [])
    if (Component) return <Component {...props} />
    if (error === undefined) return renderWaiting(props)
    const failure = {
      title: 'This part of the page could not be loaded',
      message: error.message,
      advice: 'Check that Trestle is running. If it was updated, reload the page.',
    }
    return (
      <ErrorNote
        failure={failure}
        className="m-4"
        actions={
          <>
            <Button
              size="small"
              onClick={() => {
                change({})
                void preload()
              }}
            >
              Try again
            </Button>
            <Button size="small" variant="quiet" onClick={() => location.reload()}>
              Reload the page
            </Button>
          </>
        }
      />
    )
  }
  return Object.assign(Part, { preload })
}
