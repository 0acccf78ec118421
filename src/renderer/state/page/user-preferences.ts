import { useEffect } from 'react'
import type { SettingsView } from '../../../shared/configuration/settings'
import { receiveAppearance } from './appearance'
import { receiveLanguage } from './language'
import { useClient } from './queries'
import { useShortcutChoices } from './shortcuts'

/** Makes the page follow what the settings say about its look, its language and its keys. */
export function useUserPreferences(settings: SettingsView | undefined): void {
  const client = useClient()
  const appearance = settings?.appearance
  const language = settings?.language
  const choices = settings?.shortcuts
  useEffect(() => {
    if (appearance) receiveAppearance(client, appearance)
  }, [client, appearance])
  useEffect(() => {
    if (language) receiveLanguage(language)
  }, [language])
  useEffect(() => {
    if (choices) useShortcutChoices.setState({ choices })
  }, [choices])
}
