import { useId, useState, type ReactNode } from 'react'
import {
  ACCENTS,
  CONTRASTS,
  DENSITIES,
  FONT_NAME,
  INTERFACE_FONTS,
  MOTIONS,
  USUAL_APPEARANCE,
  type Appearance,
  THEMES,
  LANGUAGE_CODES,
  LANGUAGES,
  type LanguageSettings,
} from '../../../../shared/configuration/appearance'
import { t, type PlainKey } from '../../../../shared/language/settings-messages'
import { changeAppearance, useAppearance } from '../../../state/page/appearance'
import { useClient, useSettingsChange } from '../../../state/page/queries'
import { showToast, showFailureToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { ChoiceBar, SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { SectionHead, SettingsSection } from '../../../ui/form/settings-controls'
import { Badge } from '../../../ui/badge'
import { formatDate, formatNumber } from '../../../../shared/language/speak'
import { useLanguage } from '../../../state/page/language'

const SIZES = [80, 90, 100, 110, 125, 150]

/** How the interface looks, with a preview. */
export function AppearanceSection() {
  const client = useClient()
  const chosen = useAppearance()
  const change = (values: Partial<Appearance>): void => changeAppearance(client, values)
  const reset = (): void => {
    const before = { ...chosen }
    change(USUAL_APPEARANCE)
    showToast(t('appearance.wasReset'), { label: t('edit.undo'), run: () => change(before) })
  }
  return (
    <div className="space-y-9">
      <section aria-labelledby="settings-appearance">
        <SectionHead id="settings-appearance" title={t('appearance.title')} text={t('appearance.text')}>
          <Button onClick={reset}>{t('appearance.reset')}</Button>
        </SectionHead>
        <div className="overflow-hidden rounded-lg border border-line bg-raised">
          <Row id="theme" label="appearance.theme">
            <ChoiceBar
              label={t('appearance.theme')}
              value={chosen.theme}
              onChange={(theme) => change({ theme })}
              options={THEMES.map((value) => ({ value, label: t(`appearance.theme.${value}`) }))}
            />
          </Row>
          <Row id="accent" label="appearance.accent">
            <ChoiceBar
              label={t('appearance.accent')}
              value={chosen.accent}
              onChange={(accent) => change({ accent })}
              options={ACCENTS.map((value) => ({ value, label: t(`appearance.accent.${value}`) }))}
            />
          </Row>
          <Row id="contrast" label="appearance.contrast">
            <ChoiceBar
              label={t('appearance.contrast')}
              value={chosen.contrast}
              onChange={(contrast) => change({ contrast })}
              options={CONTRASTS.map((value) => ({ value, label: t(`appearance.contrast.${value}`) }))}
            />
          </Row>
          <Row id="density" label="appearance.density">
            <ChoiceBar
              label={t('appearance.density')}
              value={chosen.density}
              onChange={(density) => change({ density })}
              options={DENSITIES.map((value) => ({ value, label: t(`appearance.density.${value}`) }))}
            />
          </Row>
          <Row id="motion" label="appearance.motion">
            <ChoiceBar
              label={t('appearance.motion')}
              value={chosen.motion}
              onChange={(motion) => change({ motion })}
              options={MOTIONS.map((value) => ({ value, label: t(`appearance.motion.${value}`) }))}
            />
          </Row>
        </div>
        <div className="mt-4 grid grid-cols-2 gap-3 max-mid:grid-cols-1">
          <SizeField
            label="appearance.textSize"
            value={chosen.textSize}
            onChange={(textSize) => change({ textSize })}
          />
          <SizeField
            label="appearance.codeSize"
            value={chosen.codeSize}
            onChange={(codeSize) => change({ codeSize })}
          />
          <SelectField
            label={t('appearance.font')}
            value={chosen.interfaceFont}
            onChange={(event) =>
              change({ interfaceFont: INTERFACE_FONTS.find((font) => font === event.target.value) ?? 'inter' })
            }
          >
            {INTERFACE_FONTS.map((font) => (
              <option key={font} value={font}>
                {t(`appearance.font.${font}`)}
              </option>
            ))}
          </SelectField>
          <CodeFontField key={chosen.codeFont} value={chosen.codeFont} onChange={(codeFont) => change({ codeFont })} />
        </div>
        <AppearancePreview />
      </section>
      <LanguagePart />
    </div>
  )
}

function Row({ id, label, children }: { id: string; label: PlainKey; children: ReactNode }) {
  return (
    <div
      id={`setting-${id}`}
      className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line px-3.5 py-2 first:border-t-0"
    >
      <span aria-hidden className="min-w-[120px] flex-1 font-medium">
        {t(label)}
      </span>
      {children}
    </div>
  )
}

interface SizeFieldProps {
  label: 'appearance.textSize' | 'appearance.codeSize'
  value: number
  onChange: (percent: number) => void
}

function SizeField({ label, value, onChange }: SizeFieldProps) {
  const sizes = SIZES.includes(value) ? SIZES : [...SIZES, value].toSorted((a, b) => a - b)
  return (
    <SelectField label={t(label)} value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {sizes.map((size) => (
        <option key={size} value={size}>
          {`${size}%`}
        </option>
      ))}
    </SelectField>
  )
}

/** Saved when the field is left, or with Enter. */
function CodeFontField({ value, onChange }: { value: string; onChange: (font: string) => void }) {
  const [draft, setDraft] = useState(value)
  const listId = useId()
  const isWrong = !FONT_NAME.pattern.test(draft)
  const save = (): void => {
    if (!isWrong && draft.trim() !== value) onChange(draft.trim())
  }
  return (
    <>
      <TextField
        label={t('appearance.codeFont')}
        value={draft}
        list={listId}
        hint={t('appearance.codeFont.hint')}
        placeholder="JetBrains Mono"
        error={isWrong ? t('appearance.codeFont.wrong') : undefined}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === 'Enter' && save()}
      />
      <datalist id={listId}>
        {['Cascadia Code', 'Consolas', 'Fira Code', 'Menlo', 'SF Mono', 'Source Code Pro', 'Ubuntu Mono'].map(
          (font) => (
            <option key={font} value={font}>
              {font}
            </option>
          ),
        )}
      </datalist>
    </>
  )
}

/** A small piece of a conversation, as it looks with the current choices. */
function AppearancePreview() {
  return (
    <figure aria-label={t('appearance.preview')} className="mt-4 rounded-lg border border-line bg-paper p-4">
      <figcaption className="mb-2 text-tiny font-semibold text-ink-3">{t('appearance.preview')}</figcaption>
      <p className="ml-auto w-fit max-w-[80%] rounded-lg bg-[var(--bubble)] px-3 py-1.5">
        {t('appearance.preview.message')}
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-2">
        <Badge tone="done">Edit</Badge>
        <code>src/helper.ts</code>
      </p>
      <pre className="mt-2 overflow-x-auto rounded-md border border-line bg-raised px-3 py-2">
        <span className="text-del-ink">- export function old() {'{}'}</span>
        {'\n'}
        <span className="text-add-ink">+ export function renamed() {'{}'}</span>
      </pre>
      <p className="mt-2">{t('appearance.preview.answer')}</p>
      <div className="mt-3 flex gap-2">
        <Button variant="primary" tabIndex={-1}>
          {t('appearance.preview.allow')}
        </Button>
        <Button tabIndex={-1}>{t('appearance.preview.reject')}</Button>
      </div>
    </figure>
  )
}

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
function LanguagePart() {
  const chosen = useLanguage()
  const save = useSettingsChange((api, change: Partial<LanguageSettings>) => api.setLanguage(change))
  const change = (values: Partial<LanguageSettings>): void => save.mutate(values, { onError: showFailureToast })
  const names = new Intl.DisplayNames([chosen.language], { type: 'language' })
  const locales =
    chosen.formats === 'system' || LOCALES.includes(chosen.formats) ? LOCALES : [chosen.formats, ...LOCALES]
  return (
    <SettingsSection id="settings-language" title={t('language.title')}>
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
    </SettingsSection>
  )
}
