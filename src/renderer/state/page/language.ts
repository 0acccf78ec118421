import { create } from 'zustand'
import type { LanguageSettings } from '../../../shared/configuration/appearance'
import { setSpoken } from '../../../shared/language/speak'
import { browserStorage } from './browser-storage'

const KEY = 'trestle.language'

/** The language of the page and how it writes dates and numbers. Components that show them render again on a change. */
export const useLanguage = create<LanguageSettings>()(() => speak(stored()))

function stored(): LanguageSettings {
  const usual: LanguageSettings = { language: 'en', formats: 'system' }
  try {
    return { ...usual, ...(JSON.parse(browserStorage.read(KEY) ?? '{}') as Partial<LanguageSettings>) }
  } catch {
    return usual
  }
}

/** The settings of the engine arrived or changed. */
export function receiveLanguage(language: LanguageSettings): void {
  browserStorage.write(KEY, JSON.stringify(language))
  useLanguage.setState(speak(language))
}

/** Sets the language of messages and of the page. */
function speak(language: LanguageSettings): LanguageSettings {
  const { lang, dir } = setSpoken(language)
  if (typeof document !== 'undefined') Object.assign(document.documentElement, { lang, dir })
  return language
}
