import { ContextMenu as RadixContextMenu } from 'radix-ui'
import type { PointerEvent, ReactElement, ReactNode, SyntheticEvent } from 'react'
import { cx } from './cx'
import { Kbd } from './kbd'
import { MENU_CLASS, MENU_ITEM_CLASS } from './menu'

interface ContextMenuProps {
  label: string
  items: ReactNode
  onOpenChange?: (open: boolean) => void
  /** Hears first what may open the menu: where it stops the event, none opens. */
  onAim?: (event: SyntheticEvent) => void
  children: ReactElement
}

/**
 * What right click, the menu key and Shift+F10 open on `children`. When it closes the focus goes back there, unless what was chosen has
 * put it into a field meanwhile.
 */
export function ContextMenu({ label, items, onOpenChange, onAim, children }: ContextMenuProps) {
  return (
    <RadixContextMenu.Root modal={false} {...(onOpenChange && { onOpenChange })}>
      <RadixContextMenu.Trigger asChild {...(onAim && { onContextMenuCapture: onAim, onPointerDownCapture: aimByTouch(onAim) })}>
        {children}
      </RadixContextMenu.Trigger>
      <RadixContextMenu.Portal>
        <RadixContextMenu.Content aria-label={label} collisionPadding={8} className={MENU_CLASS} onCloseAutoFocus={keepFocus}>
          {items}
        </RadixContextMenu.Content>
      </RadixContextMenu.Portal>
    </RadixContextMenu.Root>
  )
}

/** A long press of a finger or pen opens the menu as well; a mouse button begins nothing. */
function aimByTouch(onAim: (event: SyntheticEvent) => void): (event: PointerEvent) => void {
  return (event) => {
    if (event.pointerType !== 'mouse') onAim(event)
  }
}

function keepFocus(event: Event): void {
  if (document.activeElement instanceof HTMLInputElement) event.preventDefault()
}

interface ContextMenuItemProps {
  icon?: ReactNode
  kbd?: string
  disabled?: boolean
  danger?: boolean
  onSelect: () => void
  children: ReactNode
}

export function ContextMenuItem({ icon, kbd, disabled, danger, onSelect, children }: ContextMenuItemProps) {
  return (
    <RadixContextMenu.Item disabled={disabled} onSelect={onSelect} className={cx(MENU_ITEM_CLASS, danger && 'text-fail-ink!')}>
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
      {kbd && <Kbd keys={kbd} />}
    </RadixContextMenu.Item>
  )
}

export function ContextMenuSeparator() {
  return <RadixContextMenu.Separator className="mx-1 my-1 h-px bg-line" />
}
