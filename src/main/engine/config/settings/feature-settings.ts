import { FEATURES, type Feature } from '../../../../shared/configuration/features'
import type { TableReader } from './table-reader'

/** `[features]`: what the user turned on. */
export type FeatureSettings = Readonly<Record<Feature, boolean>>

export const DEFAULT_FEATURES: FeatureSettings = { memory: false, scheduling: false, mail: false, location: false }

/** Reads `[features]`; what is wrong in it is reported and stays off. */
export function readFeatures(reader: TableReader | undefined): FeatureSettings {
  if (!reader) return DEFAULT_FEATURES
  const features = { ...DEFAULT_FEATURES }
  for (const feature of FEATURES) features[feature] = reader.flag(feature) ?? DEFAULT_FEATURES[feature]
  reader.finish()
  return features
}
