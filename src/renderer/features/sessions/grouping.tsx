import { ListTree } from 'lucide-react'
import { create } from 'zustand'
import { browserStorage } from '../../state/page/browser-storage'
import { usePlaces } from '../../state/places'
import { useSessionActions } from '../../state/session/session-actions'
import { IconButton } from '../../ui/button'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuSeparator } from '../../ui/overlay/menu'

/** How the list of sessions is grouped. */
export type Grouping = 'project' | 'day'

const KEY = 'trestle.sessionGroups'

/** `shownPlace`: only sessions of this place are listed; `HERE`: only those of this machine; empty: all. */
export const useGrouping = create<{ grouping: Grouping; shownPlace: string }>()(() => ({
  grouping: browserStorage.read(KEY) === 'day' ? 'day' : 'project',
  shownPlace: '',
}))

/** Place names never start with a slash. */
export const HERE = '/here'

function chooseGrouping(value: string): void {
  const grouping = value === 'day' ? 'day' : 'project'
  browserStorage.write(KEY, grouping)
  useGrouping.setState({ grouping })
}

/** The menu of the list: its grouping, and importing a session. */
export function ListMenu() {
  const grouping = useGrouping((state) => state.grouping)
  const shownPlace = useGrouping((state) => state.shownPlace)
  const places = usePlaces()
  const actions = useSessionActions()
  return (
    <Menu
      label="Session list"
      align="end"
      trigger={
        <IconButton label="Session list options">
          <ListTree aria-hidden />
        </IconButton>
      }
    >
      <MenuChoices label="Group by" value={grouping} onChoose={chooseGrouping}>
        <MenuChoice value="project">Project</MenuChoice>
        <MenuChoice value="day">Day</MenuChoice>
      </MenuChoices>
      {places.length > 0 && (
        <>
          <MenuSeparator />
          <MenuChoices
            label="Show"
            value={shownPlace}
            onChoose={(value) => useGrouping.setState({ shownPlace: value })}
          >
            <MenuChoice value="">All places</MenuChoice>
            <MenuChoice value={HERE}>This machine</MenuChoice>
            {places.map(({ placeId }) => (
              <MenuChoice key={placeId} value={placeId}>
                {placeId}
              </MenuChoice>
            ))}
          </MenuChoices>
        </>
      )}
      <MenuSeparator />
      <MenuItem onSelect={() => actions.importFile()}>Import a session…</MenuItem>
    </Menu>
  )
}
