import { ArrowDown, ArrowUp, MoreHorizontal, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../../../shared/language/settings-messages'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlay/menu'

interface RowMenuProps {
  /** The name of the row's entry. */
  name: string
  /** Absent: it cannot be moved there. */
  onMoveUp?: (() => void) | undefined
  onMoveDown?: (() => void) | undefined
  onDelete: () => void
  /** Additional items, at the top. */
  children?: ReactNode
}

/** The actions of a row in a list of settings. */
export function RowMenu({ name, onMoveUp, onMoveDown, onDelete, children }: RowMenuProps) {
  const label = t('edit.actions', { name })
  return (
    <Menu
      label={label}
      align="end"
      trigger={
        <IconButton label={label}>
          <MoreHorizontal aria-hidden />
        </IconButton>
      }
    >
      {children}
      {onMoveUp && (
        <MenuItem icon={<ArrowUp aria-hidden />} onSelect={onMoveUp}>
          {t('edit.moveUp')}
        </MenuItem>
      )}
      {onMoveDown && (
        <MenuItem icon={<ArrowDown aria-hidden />} onSelect={onMoveDown}>
          {t('edit.moveDown')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={onDelete}>
        {t('edit.delete')}
      </MenuItem>
    </Menu>
  )
}
