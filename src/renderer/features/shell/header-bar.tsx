import { PanelLeft, PanelRight, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { folderName } from '../../format/folder-name'
import { IconButton } from '../../ui/button'
import { Tooltip } from '../../ui/tooltip'
import { t } from '../../../shared/language/shell-messages'
import { useKeys } from '../../state/page/shortcuts'
import { cx } from '../../ui/cx'

/** Props of the bar in every view. */
export interface HeaderFrame {
  userHome: string | undefined
  /** Set when the sidebar is hidden. */
  onOpenSidebar: (() => void) | undefined
  /** Toggles the inspector; undefined when the view has no inspector. */
  inspector: { open: boolean; toggle: () => void } | undefined
}

interface HeaderBarProps extends HeaderFrame {
  title: string
  folder: string | undefined
  /** Undefined when the title cannot be changed (settings, a new session). */
  onRename?: (title: string) => void
  /** Closes the view. */
  onClose?: () => void
  /** Model, mode and context of the session. */
  children?: ReactNode
}

/** The bar over the main area: the title, the location, and the switches of the view. */
export function HeaderBar({
  title,
  folder,
  userHome,
  onRename,
  onClose,
  onOpenSidebar,
  inspector,
  children,
}: HeaderBarProps) {
  const sidebarKeys = useKeys('sidebar')
  return (
    // Depends on its own width, which the columns decide: where the title would be cut, the switches move to a second
    // row.
    <div className="@container flex-none">
      <header
        className={cx(
          'flex min-h-[46px] flex-none items-center gap-2.5 border-b border-line pr-3 pl-[18px]',
          '@max-[760px]:flex-wrap @max-[760px]:gap-y-0 @max-[760px]:px-2.5 @max-[760px]:pb-1.5',
        )}
      >
        <div
          className={cx(
            'flex min-h-[45px] min-w-0 flex-1 items-center',
            'gap-2.5 @max-[760px]:min-w-full @max-[760px]:gap-2',
          )}
        >
          {onOpenSidebar && (
            <IconButton label={t('shell.showSidebar')} kbd={sidebarKeys} className="-ml-1.5" onClick={onOpenSidebar}>
              <PanelLeft aria-hidden />
            </IconButton>
          )}
          <Title title={title} onRename={onRename} />
          {folder !== undefined && (
            <Tooltip text={folder}>
              <span tabIndex={-1} className="max-w-[40%] flex-none truncate text-small text-ink-3">
                {folderName(folder, userHome).name}
              </span>
            </Tooltip>
          )}
          <span className="flex-1" />
          {inspector && <InspectorToggle inspector={inspector} className="@min-[760px]:hidden" />}
          {onClose && (
            <IconButton label={t('shell.close')} kbd="Esc" onClick={onClose}>
              <X aria-hidden />
            </IconButton>
          )}
        </div>
        {children && (
          <div className="flex min-w-0 items-center gap-2 @max-[760px]:w-full @max-[760px]:flex-wrap">{children}</div>
        )}
        {inspector && <InspectorToggle inspector={inspector} className="@max-[760px]:hidden" />}
      </header>
    </div>
  )
}

function InspectorToggle({
  inspector,
  className,
}: {
  inspector: { open: boolean; toggle: () => void }
  className: string
}) {
  const keys = useKeys('inspector')
  return (
    <IconButton
      label={inspector.open ? t('shell.hideInspector') : t('shell.showInspector')}
      kbd={keys}
      aria-expanded={inspector.open}
      className={className}
      onClick={inspector.toggle}
    >
      <PanelRight aria-hidden />
    </IconButton>
  )
}

function Title({ title, onRename }: { title: string; onRename: ((title: string) => void) | undefined }) {
  const [draft, setDraft] = useState<string>()
  const className = 'min-w-0 truncate text-body font-semibold'
  if (!onRename) return <h1 className={className}>{title}</h1>
  if (draft === undefined) {
    return (
      <h1 className="flex min-w-0">
        <button
          type="button"
          title="Rename"
          aria-label={`${title}, rename`}
          className={`${className} -mx-1.5 rounded-sm px-1.5 py-0.5 hover:bg-sunken`}
          onClick={() => setDraft(title)}
        >
          {title}
        </button>
      </h1>
    )
  }
  const finish = (): void => {
    const next = draft.trim()
    if (next && next !== title) onRename(next)
    setDraft(undefined)
  }
  return (
    <input
      autoFocus
      value={draft}
      maxLength={200}
      aria-label="Title of the session"
      className={cx(
        'h-[26px] w-[min(420px,100%)] min-w-0 rounded-sm border',
        'border-line-strong bg-raised px-1.5 text-body font-semibold',
      )}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) finish()
        if (event.key === 'Escape') {
          event.preventDefault()
          setDraft(undefined)
        }
      }}
    />
  )
}
