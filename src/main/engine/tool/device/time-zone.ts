import { nearest } from '../../../../shared/nearest'

/** The zone of this machine. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The zone as the system names it; undefined for one that it does not know. */
export function knownZone(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** What to say of an unknown zone, with the one that may be meant. */
export function unknownZone(zone: string): string {
  const zones = Intl.supportedValuesOf('timeZone')
  // People name cities, and write them with blanks.
  const asCity = zone.replaceAll(' ', '_').toLowerCase()
  const city = zones.find((known) => known.toLowerCase().endsWith(`/${asCity}`))
  const [near] = city === undefined ? nearest(zone, zones, 1) : [city]
  return `${JSON.stringify(zone)} is not a time zone.${near === undefined ? '' : ` Did you mean ${near}?`} Give an IANA name such as Europe/Berlin, or leave zone out for the zone of this machine.`
}
