export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** How the interface looks. Kept in `[appearance]` of config.toml, so that all windows agree. */
export interface Appearance {
  theme: Theme
  accent: Accent
  contrast: Contrast
  density: Density
  motion: Motion
  /** Size of the interface's text, in percent of the default. */
  textSize: number
  /** Size of code and terminals, in percent of the default. */
  codeSize: number
  interfaceFont: InterfaceFont
  /** A font installed on this computer for code and terminals; empty: the bundled one. */
  codeFont: string
}

/** `graphite` has no color of its own; `violet` colors buttons, switches and the focus. */
export const ACCENTS = ['graphite', 'violet'] as const
export type Accent = (typeof ACCENTS)[number]
/** `system`: follows the operating system. */
export const CONTRASTS = ['system', 'normal', 'high'] as const
export type Contrast = (typeof CONTRASTS)[number]
export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]
export const MOTIONS = ['system', 'reduced'] as const
export type Motion = (typeof MOTIONS)[number]
export const INTERFACE_FONTS = ['inter', 'system'] as const
export type InterfaceFont = (typeof INTERFACE_FONTS)[number]

/** Percent. */
export const TEXT_SIZES = { min: 80, max: 150 } as const
/** A font name: nothing that could end a CSS declaration. */
export const FONT_NAME = {
  pattern: /^[\p{L}\p{N} ._-]{0,80}$/u,
  must: 'the name of a font: letters, digits, spaces, dots and hyphens',
} as const

export const USUAL_APPEARANCE: Appearance = {
  theme: 'system',
  accent: 'graphite',
  contrast: 'system',
  density: 'comfortable',
  motion: 'system',
  textSize: 100,
  codeSize: 100,
  interfaceFont: 'inter',
  codeFont: '',
}

/** The languages of the interface. */
export const LANGUAGES = { en: 'English' } as const
export type Language = keyof typeof LANGUAGES
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as [Language, ...Language[]]

/** The language and formats of the interface. Kept in `[interface]` of config.toml. */
export interface LanguageSettings {
  language: Language
  /** A locale such as `de-CH` for dates and numbers, or `system`. */
  formats: string
}

/** A locale that Intl accepts. */
export const FORMATS = {
  pattern: /^(?:system|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/,
  must: '"system" or a locale such as "de-CH"',
} as const
