import { LANGUAGE_CODES, LANGUAGES, type LanguageSettings } from '../../../../shared/configuration/appearance'
import { t } from '../../../../shared/language/settings-messages'
import { formatDate, formatNumber } from '../../../../shared/language/speak'
import { useLanguage } from '../../../state/page/language'
import { useSettingsChange } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { SelectField } from '../../../ui/form/choice-fields'
import { SectionHead } from '../../../ui/form/settings-controls'

/** Locales to choose from; any other can be written into config.toml. */
const LOCALES = [
  'en-US',
  'en-GB',
  'de-DE',
  'de-CH',
  'es-ES',
  'fr-FR',
  'hi-IN',
  'it-IT',
  'ja-JP',
  'ko-KR',
  'nl-NL',
  'pl-PL',
  'pt-BR',
  'sv-SE',
  'zh-CN',
]

/** Shown in the chosen formats. */
const EXAMPLE = new Date(2026, 10, 26, 15, 4)

/** The language, and how dates and numbers are written. */
export function LanguagePart() {
  const chosen = useLanguage()
  const save = useSettingsChange((api, change: Partial<LanguageSettings>) => api.setLanguage(change))
  const change = (values: Partial<LanguageSettings>): void => save.mutate(values, { onError: showFailureToast })
  const names = new Intl.DisplayNames([chosen.language], { type: 'language' })
  const locales =
    chosen.formats === 'system' || LOCALES.includes(chosen.formats) ? LOCALES : [chosen.formats, ...LOCALES]
  return (
    <section aria-labelledby="settings-language">
      <SectionHead id="settings-language" title={t('language.title')} />
      <div className="grid grid-cols-2 gap-3 max-mid:grid-cols-1">
        <SelectField
          label={t('language.language')}
          value={chosen.language}
          onChange={(event) => change({ language: LANGUAGE_CODES.find((code) => code === event.target.value) ?? 'en' })}
        >
          {LANGUAGE_CODES.map((code) => (
            <option key={code} value={code}>
              {LANGUAGES[code]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t('language.formats')}
          value={chosen.formats}
          hint={t('language.example', {
            date: formatDate(EXAMPLE, { dateStyle: 'medium', timeStyle: 'short' }),
            number: formatNumber(1234567.8),
          })}
          onChange={(event) => change({ formats: event.target.value })}
        >
          <option value="system">{t('language.formats.system')}</option>
          {locales.map((locale) => (
            <option key={locale} value={locale}>
              {names.of(locale) ?? locale}
            </option>
          ))}
        </SelectField>
      </div>
    </section>
  )
}
