import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { AgentList } from '../../model/session/agent'
import type { SkillList, HookList, TrustedFolder, TrustView } from '../../configuration/customize/customizations'

export const agentContract = {
  /**
   * The agent specs that a project can use, including hidden ones, and the problems in others. Read again at each call.
   */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<AgentList>()),
}

export const skillContract = {
  /** The skills a project can use, including hidden ones, and the problems in others. Read again at each call. */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<SkillList>()),
}

export const hookContract = {
  /** The active hooks in a folder (a project's only when it is trusted) and the newest runs in all folders. */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<HookList>()),
}

/** Whether a project's own configuration applies. */
export const trustContract = {
  get: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<TrustView>()),
  /** Trusts what the view with this `hash` showed; `trust.changed` when the files have changed since. */
  accept: oc.input(z.strictObject({ folder: z.string().min(1), hash: z.string() })).output(type<TrustView>()),
  /** Does not trust what the view with this `hash` showed, and does not ask again until it changes. */
  refuse: oc.input(z.strictObject({ folder: z.string().min(1), hash: z.string() })).output(type<TrustView>()),
  /** Every trusted folder, the last accepted first. */
  list: oc.output(type<TrustedFolder[]>()),
  /**
   * Stops trusting a folder, whatever it contains now: its configuration is disabled, and the user is asked again.
   * Harmless when it is not trusted.
   */
  forget: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<void>()),
}
