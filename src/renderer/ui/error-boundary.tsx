import { Component, type ReactNode } from 'react'
import { Button } from './button'
import { ErrorNote } from './error-note'

interface ErrorBoundaryProps {
  children: ReactNode
}

/** When drawing fails (a bug), says so instead of leaving an empty window; nothing recorded is lost by it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <main className="mx-auto flex h-full w-full max-w-[560px] flex-col justify-center px-6">
        <h1 className="mb-3 text-title font-semibold">Something went wrong</h1>
        <ErrorNote
          failure={{
            title: 'Something went wrong inside Trestle',
            message: error.message,
            advice: 'Sessions and running work are not affected. Please report it with this message.',
          }}
          actions={
            <>
              <Button variant="primary" onClick={() => location.reload()}>
                Reload
              </Button>
              <Button onClick={() => this.setState({ error: undefined })}>Try to continue</Button>
            </>
          }
        />
      </main>
    )
  }
}
