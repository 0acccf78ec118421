import { useQuery } from '@tanstack/react-query'
import { Bot, Brain, ChevronDown, Folder, FolderOpen, MessageSquare, Server } from 'lucide-react'
import { defaultEffortName, sessionEffort } from '../../../shared/configuration/session-model'
import { MODE_NAMES, confinementOf, modeDescription } from '../../../shared/configuration/sandbox-text'
import type { SettingsView } from '../../../shared/configuration/settings'
import { SESSION_MODES, type SessionMode } from '../../../shared/model/approval/approval'
import { EFFORTS, effortName, type Effort } from '../../../shared/model/turn/effort'
import { splitPlaceFolder } from '../../../shared/model/place/place-folder'
import { folderName } from '../../format/folder-name'
import { useClient } from '../../state/page/queries'
import { ChipButton } from '../../ui/chip'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuSeparator } from '../../ui/overlay/menu'

/** The value that replaces a folder for a session without a project. */
export const NO_PROJECT = ''
/** The value for the default agent and effort; agent names have no capital letters, so it cannot collide. */
const USUAL = 'Usual'

interface FolderPillProps {
  folder: string | undefined
  recent: readonly string[]
  userHome: string | undefined
  onChoose: (folder: string) => void
  onBrowse: () => void
  /** Other machines, whose folders can be browsed. */
  places: readonly string[]
  onBrowsePlace: (placeId: string) => void
}

/** Where the session works. */
export function FolderPill({ folder, recent, userHome, onChoose, onBrowse, places, onBrowsePlace }: FolderPillProps) {
  const place = folder === undefined ? undefined : splitPlaceFolder(folder)?.placeId
  const name =
    folder === undefined ? 'No folder yet' : folder === NO_PROJECT ? 'No project' : folderName(folder, userHome).name
  const shown = folder === undefined || folder === NO_PROJECT || recent.includes(folder) ? recent : [folder, ...recent]
  const trigger = (
    <ChipButton aria-label={`Folder: ${name}`} className="max-w-[220px]">
      {folder === NO_PROJECT ? (
        <MessageSquare aria-hidden />
      ) : place === undefined ? (
        <Folder aria-hidden />
      ) : (
        <Server aria-hidden />
      )}
      <span className={folder === undefined ? 'truncate' : 'truncate font-medium text-ink'}>{name}</span>
      {place !== undefined && <span className="truncate text-ink-3">{place}</span>}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Folder">
      <MenuChoices value={folder ?? USUAL} onChoose={onChoose}>
        {shown.slice(0, 8).map((path) => {
          const { name: own, parent } = folderName(path, userHome)
          return (
            <MenuChoice key={path} value={path} description={parentWithPlace(path, parent)}>
              {own}
            </MenuChoice>
          )
        })}
        <MenuChoice value={NO_PROJECT} description="Everyday tasks in a private folder">
          No project
        </MenuChoice>
      </MenuChoices>
      <MenuSeparator />
      <MenuItem icon={<FolderOpen aria-hidden />} onSelect={onBrowse}>
        Another folder…
      </MenuItem>
      {places.map((placeId) => (
        <MenuItem key={placeId} icon={<Server aria-hidden />} onSelect={() => onBrowsePlace(placeId)}>
          On {placeId}…
        </MenuItem>
      ))}
    </Menu>
  )
}

/** The parent folder, with its place. */
function parentWithPlace(path: string, parent: string): string {
  const place = splitPlaceFolder(path)
  return place ? `${place.placeId}: ${parent}` : parent
}

/** The permission mode of the session. */
export function ModePill({
  mode,
  settings,
  onChoose,
}: {
  mode: SessionMode
  settings: SettingsView
  onChoose: (mode: SessionMode) => void
}) {
  const trigger = (
    <ChipButton aria-label={`Permissions: ${MODE_NAMES[mode]}`}>
      {MODE_NAMES[mode]}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Permissions">
      <MenuChoices
        value={mode}
        onChoose={(value) => {
          const chosen = SESSION_MODES.find((name) => name === value)
          if (chosen) onChoose(chosen)
        }}
      >
        {SESSION_MODES.map((name) => (
          <MenuChoice
            key={name}
            value={name}
            description={modeDescription(name, confinementOf(undefined, settings.sandbox))}
          >
            {MODE_NAMES[name]}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

/** The thinking effort; hidden when the model offers no choice. */
export function EffortPill({
  model,
  effort,
  settings,
  onChoose,
}: {
  model: string | undefined
  effort: Effort | undefined
  settings: SettingsView
  onChoose: (effort: Effort | undefined) => void
}) {
  const known = sessionEffort(settings, {
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
  })
  const { offered, chosen } = known
  if (offered.length === 0) return null
  const name = chosen === undefined ? defaultEffortName(known) : effortName(chosen, offered)
  const trigger = (
    <ChipButton aria-label={`Thinking: ${name}`} className="max-w-[160px]">
      <Brain aria-hidden />
      <span className="truncate">{chosen === undefined ? 'Default' : name}</span>
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Thinking">
      <MenuChoices value={chosen ?? USUAL} onChoose={(value) => onChoose(EFFORTS.find((level) => level === value))}>
        <MenuChoice value={USUAL}>{defaultEffortName(known)}</MenuChoice>
        {offered.toReversed().map((level) => (
          <MenuChoice key={level} value={level}>
            {effortName(level, offered)}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

/** The agent that the session runs as; hidden when there is only one. */
export function AgentPill({
  folder,
  agent,
  onChoose,
}: {
  folder: string | undefined
  agent: string | undefined
  onChoose: (agent: string | undefined) => void
}) {
  const client = useClient()
  const place = folder === undefined || folder === NO_PROJECT ? undefined : folder
  const { data } = useQuery({
    queryKey: ['agents', place],
    queryFn: () => client.agent.list({ folder: place ?? '' }),
    enabled: place !== undefined,
  })
  const offered = (data?.agents ?? []).filter(({ hiddenBy }) => hiddenBy === undefined)
  if (offered.length === 0) return null
  const chosen = offered.find(({ name }) => name === agent)
  const label = chosen ? titleOf(chosen) : 'Trestle'
  const trigger = (
    <ChipButton aria-label={`Agent: ${label}`} className="max-w-[160px]">
      <Bot aria-hidden />
      {chosen && <span className="truncate">{label}</span>}
      <ChevronDown aria-hidden />
    </ChipButton>
  )
  return (
    <Menu trigger={trigger} label="Agent">
      <MenuChoices value={chosen?.name ?? USUAL} onChoose={(value) => onChoose(value === USUAL ? undefined : value)}>
        <MenuChoice value={USUAL} description="The default agent, with every tool">
          Trestle
        </MenuChoice>
        {offered.map((one) => (
          <MenuChoice key={one.path} value={one.name} description={one.description}>
            {titleOf(one)}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

function titleOf({ name, title }: { name: string; title?: string }): string {
  return title ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}
