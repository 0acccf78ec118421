import type { Language, LanguageSettings } from '../configuration/appearance'
import { ENGLISH, type Catalog, type Message, type MessageKey } from './en'

/** The messages of each language. */
export const CATALOGS: Readonly<Record<Language, Catalog>> = { en: ENGLISH }

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur']

let language: Language = 'en'
/** The locale of dates and numbers; undefined: the system's. */
let formats: string | undefined

/** Sets the language of all messages; returns what the page says about itself. */
export function setSpoken(settings: LanguageSettings): { lang: string; dir: 'ltr' | 'rtl' } {
  language = settings.language
  formats = settings.formats === 'system' ? undefined : settings.formats
  return { lang: language, dir: RIGHT_TO_LEFT.includes(language.split('-', 1)[0]!) ? 'rtl' : 'ltr' }
}

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type NamesIn<M> = M extends string ? Names<M> : M extends { other: infer Other } ? Names<Other> : never
/** What has to be filled in for a message. */
type Values<Key extends MessageKey> = Readonly<Record<NamesIn<(typeof ENGLISH)[Key]>, string | number>>

/** The keys of messages without values. */
export type MessageKeyWithoutValues = {
  [Key in MessageKey]: [NamesIn<(typeof ENGLISH)[Key]>] extends [never] ? Key : never
}[MessageKey]

/** A message in the user's language, with its values filled in; numbers are written as the user's formats have it. */
export function t<Key extends MessageKey>(
  key: Key,
  ...[values]: [NamesIn<(typeof ENGLISH)[Key]>] extends [never] ? [] : [values: Values<Key>]
): string {
  return fill(CATALOGS[language][key], values ?? {}, language)
}

/** Fills in a message; its plural form follows `count`. */
export function fill(message: Message, values: Readonly<Record<string, string | number>>, locale: string): string {
  const { count } = values
  const text =
    typeof message === 'string'
      ? message
      : ((typeof count === 'number' ? message[new Intl.PluralRules(locale).select(count)] : undefined) ?? message.other)
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? formatNumber(value) : value
  })
}

/** A number in the user's formats. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(formats, options).format(value)
}

/** A date in the user's formats. */
export function formatDate(value: Date | number, options?: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(formats, options).format(value)
}
