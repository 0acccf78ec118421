import { useLayoutEffect, useRef, type ReactNode } from 'react'
import { failureFrom } from '../client/failure-from'
import { Button } from './button'
import { ErrorNote } from './notice'

export interface LoadErrorProps {
  /** A query that failed. */
  query: { error: unknown; isFetching: boolean; refetch(): unknown }
  className?: string
  /** Other ways to continue, as buttons. */
  others?: ReactNode
}

/** Shows why something could not be loaded, with a button that tries again. */
export function LoadError({ query, className, others }: LoadErrorProps) {
  const button = useRef<HTMLButtonElement>(null)
  // Once it is loaded, the button is removed; the focus stays in the same dialog or part of the page.
  useLayoutEffect(() => {
    const focused = button.current
    return () => {
      if (document.activeElement === focused)
        focused?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <ErrorNote
      failure={failureFrom(query.error)}
      {...(className !== undefined && { className })}
      actions={
        <>
          {others}
          <Button ref={button} size="small" busy={query.isFetching} onClick={() => void query.refetch()}>
            Try again
          </Button>
        </>
      }
    />
  )
}
