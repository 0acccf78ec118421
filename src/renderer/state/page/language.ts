import { create } from 'zustand'
import { LANGUAGE_CODES, type LanguageSettings } from '../../../shared/configuration/appearance'
import { setSpoken } from '../../../shared/language/speak'
import { browserStorage } from './browser-storage'
import { useEffect } from 'react'
import type { SettingsView } from '../../../shared/configuration/settings'
import { receiveAppearance } from './appearance'
import { useClient } from './queries'
import { useShortcutChoices } from './shortcuts'

const KEY = 'trestle.language'

/**
 * The language of the page and its formats for dates and numbers. Components that show them render again on a change.
 */
export const useLanguage = create<LanguageSettings>()(() => applyLanguage(stored()))

function stored(): LanguageSettings {
  try {
    return parsedLanguage(JSON.parse(browserStorage.read(KEY) ?? '{}'))
  } catch {
    return parsedLanguage(undefined)
  }
}

/** The stored settings, with defaults for values that this version or Intl does not support. */
export function parsedLanguage(value: unknown): LanguageSettings {
  const { language, formats } = (value ?? {}) as Partial<Record<keyof LanguageSettings, unknown>>
  return {
    language: LANGUAGE_CODES.find((code) => code === language) ?? 'en',
    formats: typeof formats === 'string' && isLocale(formats) ? formats : 'system',
  }
}

function isLocale(formats: string): boolean {
  try {
    return Intl.getCanonicalLocales(formats).length > 0
  } catch {
    return false
  }
}

/** The settings of the engine arrived or changed. */
export function receiveLanguage(language: LanguageSettings): void {
  browserStorage.write(KEY, JSON.stringify(language))
  useLanguage.setState(applyLanguage(language))
}

/** Sets the language of messages and of the page. */
function applyLanguage(language: LanguageSettings): LanguageSettings {
  const { lang, dir } = setSpoken(language)
  if (typeof document !== 'undefined') Object.assign(document.documentElement, { lang, dir })
  return language
}

/** Applies the settings for appearance, language and shortcuts to the page. */
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
