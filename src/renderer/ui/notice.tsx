import { X, CircleAlert } from 'lucide-react'
import { type ReactNode, Component } from 'react'
import type { Tone } from './badge'
import { cx } from './cx'
import { IconButton, Button } from './button'

const TONES: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-2',
  wait: 'bg-wait-bg text-wait-ink',
  run: 'bg-run-bg text-run-ink',
  done: 'bg-done-bg text-done-ink',
  fail: 'bg-fail-bg text-fail-ink',
}

interface BannerProps {
  tone: Tone
  icon?: ReactNode
  children: ReactNode
  actions?: ReactNode
  onDismiss?: () => void
}

/** One line across the top of the main area that stays until it is resolved or dismissed. */
export function Banner({ tone, icon, children, actions, onDismiss }: BannerProps) {
  return (
    <div
      className={cx(
        'flex min-h-[36px] flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b',
        'border-line px-[18px] py-1 text-ui max-mid:px-3 [&>svg]:size-[15px] [&>svg]:flex-none',
        TONES[tone],
      )}
    >
      {icon}
      <div className="min-w-[min(18rem,80%)] flex-1 break-words">{children}</div>
      {actions}
      {onDismiss && (
        <IconButton label="Dismiss" className="-mr-1.5 text-current hover:bg-transparent" onClick={onDismiss}>
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

interface ErrorNoteProps {
  /** Any `Failure`: what happened, the original message, and what to do. */
  failure: { title: string; message: string; advice: string }
  /** Buttons, e.g. Try again. */
  actions?: ReactNode
  className?: string
}

/** Shows what failed, the original message, and what to do. Announced immediately. */
export function ErrorNote({ failure, actions, className }: ErrorNoteProps) {
  return (
    <div
      role="alert"
      className={cx(
        'flex gap-2.5 rounded-lg border border-[color-mix(in_oklab,var(--fail)_35%,var(--line))]',
        'bg-fail-bg px-3 py-2.5 text-ui text-ink',
        className,
      )}
    >
      <CircleAlert aria-hidden className="mt-[2px] size-[15px] flex-none text-fail-ink" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-fail-ink">{failure.title}</p>
        {failure.message && failure.message !== failure.title && <Message text={failure.message} />}
        {failure.advice && <p className="mt-0.5 text-ink-2">{failure.advice}</p>}
        {actions && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}

/** The first line says what happened; the rest is the output of a program. */
function Message({ text }: { text: string }) {
  const end = text.indexOf('\n')
  return (
    <>
      <p className="mt-0.5 break-words whitespace-pre-wrap">{end < 0 ? text : text.slice(0, end)}</p>
      {end >= 0 && (
        <pre className="mt-1 font-mono text-small break-words whitespace-pre-wrap">{text.slice(end + 1)}</pre>
      )}
    </>
  )
}

/** Empty state of a view, with possible next steps. */
export function EmptyState({
  icon,
  title,
  isPage = false,
  children,
  actions,
  className,
}: {
  icon?: ReactNode
  title: string
  /** The title is the heading of the page. */
  isPage?: boolean
  children?: ReactNode
  actions?: ReactNode
  className?: string
}) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className={cx('flex flex-col items-center gap-1 px-6 py-10 text-center', className)}>
      {icon && <div className="mb-1 text-ink-3 [&_svg]:size-5 [&_svg]:stroke-[1.5]">{icon}</div>}
      <Title className="font-medium text-ink-2">{title}</Title>
      {children && <div className="max-w-[42ch] text-ui text-pretty text-ink-3">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}

interface ErrorBoundaryProps {
  children: ReactNode
}

/** Error boundary: shows a message when rendering fails (a bug). No recorded data is lost. */
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
