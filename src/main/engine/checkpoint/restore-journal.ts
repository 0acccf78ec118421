import { rmSync } from 'node:fs'
import type { ConversationCut, DMail, KeptFile, RestoreStep } from '../../../shared/model/checkpoint'
import type { EventBody } from '../../../shared/model/event'
import { readJson, writeWhole } from './session-place'

/** A restore that is being carried out: what is needed to finish it should the process die. */
export interface RestoreJournal {
  restoreId: string
  to: number
  part?: 'hunk' | 'file'
  steps: RestoreStep[]
  kept: KeptFile[]
  conversation?: ConversationCut
  dMail?: DMail
  /** Recorded with it, right after it. */
  after?: EventBody[]
}

export function writeJournal(path: string, journal: RestoreJournal): void {
  writeWhole(path, JSON.stringify(journal))
}

export function readJournal(path: string): RestoreJournal | undefined {
  const found = readJson(path) as RestoreJournal | undefined
  return found && typeof found.restoreId === 'string' && Array.isArray(found.steps) ? found : undefined
}

export function removeJournal(path: string): void {
  rmSync(path, { force: true })
}
