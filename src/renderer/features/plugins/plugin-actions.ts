import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { PLUGIN_PARTS, type PluginPlace, type PluginState, type PluginView } from '../../../shared/model/app/plugin'
import type { TrestleClient } from '../../../shared/contract'
import type { Tone } from '../../ui/badge'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

/** The label and color of each state. */
export const STATES: Record<PluginState, { word: string; tone: Tone }> = {
  asked: { word: 'Not reviewed', tone: 'wait' },
  changed: { word: 'Changed, off', tone: 'wait' },
  enabled: { word: 'On', tone: 'done' },
  disabled: { word: 'Off', tone: 'plain' },
  broken: { word: 'Unusable', tone: 'fail' },
}

const WORDS = {
  hook: ['hook', 'hooks'],
  server: ['server', 'servers'],
  agent: ['agent', 'agents'],
  skill: ['skill', 'skills'],
  command: ['slash command', 'slash commands'],
} as const

/** The contents of a plugin: `2 hooks · 1 skill`. */
export function bringsText({ counts }: Pick<PluginView, 'counts'>): string {
  const parts = PLUGIN_PARTS.filter((kind) => counts[kind] > 0)
  return parts.map((kind) => `${counts[kind]} ${WORDS[kind][counts[kind] === 1 ? 0 : 1]}`).join(' · ')
}

/** The plugin as input for the contract's methods. */
export function placeOf({ name, folder }: PluginPlace): PluginPlace {
  return { name, ...(folder !== undefined && { folder }) }
}

export function placeKey({ name, folder }: PluginPlace): string {
  return `${folder ?? ''}\n${name}`
}

/** Changes plugins, and reads the lists again; failures are shown. */
export function usePluginChange<Input, Output>(
  change: (plugin: TrestleClient['plugin'], input: Input) => Promise<Output>,
  onDone: (output: Output, input: Input) => void = () => {},
): UseMutationResult<Output, unknown, Input> {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(client.plugin, input),
    onSuccess: onDone,
    onError: showFailureToast,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['plugin']] }),
  })
}

/** Removes a plugin, and offers to undo that. */
export function useRemovePlugin(): UseMutationResult<unknown, unknown, PluginPlace> {
  const restore = usePluginChange(
    (plugin, trashId: string) => plugin.restore({ trashId }),
    ({ name }) => showToast(`Restored ${name}`),
  )
  return usePluginChange(
    (plugin, place: PluginPlace) => plugin.remove(placeOf(place)),
    ({ name, trashId }) => showToast(`Removed ${name}`, { label: 'Undo', run: () => restore.mutate(trashId) }),
  )
}
