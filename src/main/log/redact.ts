import { isSecretVariable, maskSecretValues } from '../engine/task/secret-variable'

/** Shorter values would take harmless words out of messages. */
const LEAST_CHARS = 8
const MASK = '[redacted]'

/**
 * Takes out of a text what looks like a key or a password, the values of environment variables that are secrets, and what `known` names: keys that are
 * stored or configured.
 */
export function createRedact({
  env,
  known = () => [],
}: {
  env: NodeJS.ProcessEnv
  known?: () => readonly string[]
}): (text: string) => string {
  return (text) => {
    const ofEnv = Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSecretVariable(name, value) ? [value] : []))
    const secrets = [...ofEnv, ...known()].filter((value) => value.length >= LEAST_CHARS).toSorted((a, b) => b.length - a.length)
    let redacted = text
    for (const secret of new Set(secrets)) redacted = redacted.replaceAll(secret, MASK)
    return maskSecretValues(redacted, MASK)
  }
}
