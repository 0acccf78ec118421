import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  HOOK_EVENTS,
  type HookRun,
  type SkillList,
  type SkillProblem,
} from '../../configuration/customize/customizations'
import { EDIT_SCOPES, RULE_DECISIONS, TESTED_TOOLS } from '../../configuration/customize/rules'
import type { RuleList, RuleTest, Undoable } from '../../configuration/customize/rules'
import type { AgentFields, AgentProblem } from '../../model/session/agent'
import { SESSION_MODES } from '../../model/approval/approval'
import { EFFORTS } from '../../model/turn/effort'

const folder = z.string().min(1).max(4096)
const scope = z.enum(EDIT_SCOPES)
const text = z.string().max(256 * 1024)
const path = z.string().min(1).max(4096)
const name = z.string().max(64)
const rule = z.strictObject({
  decision: z.enum(RULE_DECISIONS),
  pattern: z.string().trim().min(1).max(2000),
  /** Only for an allow rule for commands: they run without a sandbox. */
  sandbox: z.literal('unrestricted').optional(),
})
/** A rule as it was listed; `customize.changed` when it no longer exists. */
const rulePlace = z.strictObject({
  scope,
  index: z.int().min(0),
  decision: z.enum(RULE_DECISIONS),
  pattern: z.string(),
})
const hook = z.strictObject({
  event: z.enum(HOOK_EVENTS),
  /** A regular expression; without one it runs every time. */
  matcher: z.string().max(2000).optional(),
  command: z.string().max(32_000),
  timeoutS: z.number().min(1).max(600).optional(),
  sandbox: z.literal('project').optional(),
  isOff: z.boolean().optional(),
})
const hookPlace = z.strictObject({
  scope,
  index: z.int().min(0),
  event: z.enum(HOOK_EVENTS),
  command: z.string(),
})
const fields = z.strictObject({
  name,
  description: z.string().trim().min(1, 'Say what the agent is for.').max(1024),
  systemPrompt: text,
  tools: z.array(z.string().max(200)).max(500).optional(),
  excludeTools: z.array(z.string().max(200)).max(500),
  subagents: z.array(z.string().max(200)).max(100),
  model: z.string().max(200).optional(),
  effort: z.enum(EFFORTS).optional(),
  maxSteps: z.int().min(1).max(100_000).optional(),
  readOnly: z.boolean(),
})

/** A SKILL.md, for editing. */
export interface SkillText {
  path: string
  text: string
  problems: Omit<SkillProblem, 'path'>[]
  /** Whether it belongs to the user or the project. */
  canEdit: boolean
}

/** An agent file, for editing. */
export interface AgentText {
  path: string
  text: string
  /** Absent for a file that is not an agent. */
  fields?: AgentFields
  problems: AgentProblem[]
  canEdit: boolean
}

/** The permission rules of the user and of a project. Only the user can change them, never an agent. */
export const ruleContract = {
  list: oc.input(z.strictObject({ folder })).output(type<RuleList>()),
  /** The effect of a rule, or the error in it; changes nothing. */
  explain: oc.input(rule).output(type<{ explanation: string } | { mistake: string }>()),
  add: oc.input(z.strictObject({ folder, scope, rule })).output(type<Undoable>()),
  change: oc.input(z.strictObject({ folder, place: rulePlace, rule })).output(type<Undoable>()),
  remove: oc.input(z.strictObject({ folder, place: rulePlace })).output(type<Undoable>()),
  /** Moves a rule to another position in its file. The order has no effect on decisions. */
  move: oc.input(z.strictObject({ folder, place: rulePlace, to: z.int().min(0) })).output(type<Undoable>()),
  /** What would be decided about a command, or a tool with a path or address, and why. Nothing runs. */
  test: oc
    .input(
      z.strictObject({
        folder,
        mode: z.enum(SESSION_MODES),
        call: z.union([
          z.strictObject({ command: z.string().trim().min(1).max(100_000) }),
          z.strictObject({ tool: z.enum(TESTED_TOOLS), target: z.string().trim().min(1).max(4096) }),
        ]),
      }),
    )
    .output(type<RuleTest>()),
}

/** Hooks, skills and agents, for editing. Every change can be undone. */
export const customizeContract = {
  addHook: oc.input(z.strictObject({ folder, scope, hook })).output(type<Undoable>()),
  changeHook: oc.input(z.strictObject({ folder, place: hookPlace, hook })).output(type<Undoable>()),
  removeHook: oc.input(z.strictObject({ folder, place: hookPlace })).output(type<Undoable>()),
  moveHook: oc.input(z.strictObject({ folder, place: hookPlace, to: z.int().min(0) })).output(type<Undoable>()),
  /** Runs a hook once, with sample input; returns when it has ended. */
  testHook: oc.input(z.strictObject({ folder, place: hookPlace })).output(type<HookRun>()),
  /** Every skill for a folder, including disabled ones. */
  skills: oc.input(z.strictObject({ folder })).output(type<SkillList>()),
  readSkill: oc.input(z.strictObject({ folder, path })).output(type<SkillText>()),
  /** The problems in the text of a skill called `name`. */
  checkSkill: oc.input(z.strictObject({ name, text })).output(type<Omit<SkillProblem, 'path'>[]>()),
  createSkill: oc.input(z.strictObject({ folder, scope, name, text })).output(type<Undoable & { path: string }>()),
  /** Replaces the text of a skill that still reads `before`. */
  saveSkill: oc.input(z.strictObject({ folder, path, before: text, text })).output(type<Undoable>()),
  removeSkill: oc.input(z.strictObject({ folder, path })).output(type<Undoable>()),
  /** Enables or disables a skill by its name, for every project. */
  setSkillEnabled: oc.input(z.strictObject({ name: z.string().min(1), enabled: z.boolean() })).output(type<Undoable>()),
  readAgent: oc.input(z.strictObject({ folder, path })).output(type<AgentText>()),
  createAgent: oc.input(z.strictObject({ folder, scope, fields })).output(type<Undoable & { path: string }>()),
  /** Changes an agent whose file still reads `before`. With `fields`, everything else in the file stays unchanged. */
  saveAgent: oc
    .input(
      z.strictObject({
        folder,
        path,
        before: text,
        to: z.union([z.strictObject({ fields }), z.strictObject({ text })]),
      }),
    )
    .output(type<Undoable>()),
  removeAgent: oc.input(z.strictObject({ folder, path })).output(type<Undoable>()),
  /** Undoes a change of rules, hooks, skills or agents; `customize.changed` if it was changed again since. */
  undo: oc.input(z.strictObject({ undoId: z.string() })).output(type<void>()),
}
