import { ContextMenu as RadixContextMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx'
import { Kbd } from './kbd'
import { MENU_CLASS, MENU_ITEM_CLASS } from './menu'

interface ContextMenuProps {
  label: string
  items: ReactNode
  children: ReactElement
}

/**
 * What right click, the menu key and Shift+F10 open on `children`. When it closes the focus goes back there, unless what was chosen has
 * put it into a field meanwhile.
 */
export function ContextMenu({ label, items, children }: ContextMenuProps) {
  return (
    <RadixContextMenu.Root modal={false}>
      <RadixContextMenu.Trigger asChild>{children}</RadixContextMenu.Trigger>
      <RadixContextMenu.Portal>
        <RadixContextMenu.Content aria-label={label} collisionPadding={8} className={MENU_CLASS} onCloseAutoFocus={keepFocus}>
          {items}
        </RadixContextMenu.Content>
      </RadixContextMenu.Portal>
    </RadixContextMenu.Root>
  )
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
