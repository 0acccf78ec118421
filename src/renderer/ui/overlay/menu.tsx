import { Check } from 'lucide-react'
import { DropdownMenu, ContextMenu as RadixContextMenu } from 'radix-ui'
import type { KeyboardEvent, PointerEvent, ReactElement, ReactNode, SyntheticEvent } from 'react'
import { cx } from '../cx'
import { keepMovedFocus } from './return-focus'
import { Kbd } from '../tooltip'

/** Classes shared by drop-down and context menus. */
const MENU_CLASS =
  'z-50 max-h-[min(420px,var(--radix-popper-available-height))] min-w-[180px] ' +
  'max-w-[360px] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-high'
const MENU_ITEM_CLASS =
  'flex min-h-[28px] cursor-default items-center gap-2 rounded-[6px] px-2 py-1 text-ui text-ink outline-none ' +
  'select-none data-[disabled]:text-ink-3 data-[highlighted]:bg-sunken [&_svg]:size-[15px] [&_svg]:flex-none'

interface MenuProps {
  /** The trigger: a Button, ChipButton or IconButton. */
  trigger: ReactElement
  /** Names the menu for screen readers. */
  label: string
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  open?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
  children: ReactNode
}

/** A drop-down menu. */
export function Menu({
  trigger,
  label,
  align = 'start',
  side = 'bottom',
  open,
  onOpenChange,
  className,
  children,
}: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={5}
          collisionPadding={8}
          onCloseAutoFocus={keepMovedFocus}
          onKeyDownCapture={moveImmediately}
          className={cx(MENU_CLASS, className)}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MenuItemProps {
  icon?: ReactNode
  kbd?: string
  disabled?: boolean
  danger?: boolean
  onSelect: () => void
  children: ReactNode
}

export function MenuItem({ icon, kbd, disabled, danger, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(MENU_ITEM_CLASS, danger && 'text-fail-ink!')}
    >
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
      {kbd && <Kbd keys={kbd} />}
    </DropdownMenu.Item>
  )
}

/** A radio group. Its children are MenuChoice. */
export function MenuChoices({
  label,
  value,
  onChoose,
  children,
}: {
  label?: string
  value: string
  onChoose: (value: string) => void
  children: ReactNode
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChoose} aria-label={label}>
      {label && <MenuLabel>{label}</MenuLabel>}
      {children}
    </DropdownMenu.RadioGroup>
  )
}

interface MenuChoiceProps {
  value: string
  /** A second line that explains the choice. */
  description?: ReactNode
  /** Content at the right end: a Badge, a Kbd. */
  end?: ReactNode
  disabled?: boolean
  children: ReactNode
}

export function MenuChoice({ value, description, end, disabled, children }: MenuChoiceProps) {
  return (
    <DropdownMenu.RadioItem
      value={value}
      disabled={disabled}
      className={cx(MENU_ITEM_CLASS, 'items-start pl-7 relative')}
    >
      <DropdownMenu.ItemIndicator className="absolute top-[7px] left-2">
        <Check aria-hidden />
      </DropdownMenu.ItemIndicator>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{children}</span>
        {description && <span className="block text-small text-ink-3">{description}</span>}
      </span>
      {end}
    </DropdownMenu.RadioItem>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-tiny font-semibold text-ink-3">{children}</DropdownMenu.Label>
  )
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />
}

interface ContextMenuProps {
  label: string
  items: ReactNode
  onOpenChange?: (open: boolean) => void
  /** Called before the menu opens; calling `stopPropagation` keeps it closed. */
  onAim?: (event: SyntheticEvent) => void
  children: ReactElement
}

/**
 * The context menu of `children`: right click, the menu key and Shift+F10 open it. On close the focus returns there,
 * unless the chosen action moved it.
 */
export function ContextMenu({ label, items, onOpenChange, onAim, children }: ContextMenuProps) {
  return (
    <RadixContextMenu.Root modal={false} {...(onOpenChange && { onOpenChange })}>
      <RadixContextMenu.Trigger
        asChild
        {...(onAim && { onContextMenuCapture: onAim, onPointerDownCapture: aimByTouch(onAim) })}
      >
        {children}
      </RadixContextMenu.Trigger>
      <RadixContextMenu.Portal>
        <RadixContextMenu.Content
          aria-label={label}
          collisionPadding={8}
          className={MENU_CLASS}
          onCloseAutoFocus={keepMovedFocus}
          onKeyDownCapture={moveImmediately}
        >
          {items}
        </RadixContextMenu.Content>
      </RadixContextMenu.Portal>
    </RadixContextMenu.Root>
  )
}

/** A long press with a finger or pen opens the menu as well; mouse buttons are ignored. */
function aimByTouch(onAim: (event: SyntheticEvent) => void): (event: PointerEvent) => void {
  return (event) => {
    if (event.pointerType !== 'mouse') onAim(event)
  }
}

/**
 * Moves to the next or previous item as soon as the key is pressed. Radix does so in a later task: on a busy page, a
 * quick Enter would choose the previous item.
 */
function moveImmediately(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  // Events of a submenu bubble up to here too.
  if (step === 0 || !(event.target instanceof HTMLElement) || !event.currentTarget.contains(event.target)) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]:not([data-disabled])')]
  const from = items.indexOf(event.target)
  if (from === -1) return
  event.preventDefault()
  items[from + step]?.focus()
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
    <RadixContextMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={cx(MENU_ITEM_CLASS, danger && 'text-fail-ink!')}
    >
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
      {kbd && <Kbd keys={kbd} />}
    </RadixContextMenu.Item>
  )
}

export function ContextMenuSeparator() {
  return <RadixContextMenu.Separator className="mx-1 my-1 h-px bg-line" />
}
