import type { Usage } from './message'

/** Usage of requests to models, summed. Cost is in dollars, by the prices at the time of each request. */
export interface UsageSum {
  requests: number
  /** Tokens; `cached` and `written` are parts of `input`, `thinking` of `output`. */
  input: number
  output: number
  cached: number
  written: number
  thinking: number
  cost: number
  /** Requests with unknown price: `cost` does not include them. */
  unpriced: number
}

export const NO_USAGE: UsageSum = {
  requests: 0,
  input: 0,
  output: 0,
  cached: 0,
  written: 0,
  thinking: 0,
  cost: 0,
  unpriced: 0,
}

export const USAGE_GROUPS = ['day', 'model', 'project', 'session'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The longest range of a report. */
export const MAX_USAGE_DAYS = 3660

export interface UsageRow extends UsageSum {
  /** A day (`2026-11-26`), the id of a model, the path of a folder, or the id of a session. */
  key: string
  /** For people. */
  label: string
}

/** The table that prices come from. */
export interface PriceTable {
  /** The day it was generated; empty if the table cannot be read. */
  generated: string
  sources: string[]
}

export interface UsageReport {
  by: UsageGroup
  /** The first and the last day, in the time zone of this computer. */
  from: string
  to: string
  /** The most expensive first; days in order, including those without requests. */
  rows: UsageRow[]
  /** Each day of the range, in order. */
  days: UsageRow[]
  total: UsageSum
  prices: PriceTable
  /** Places that could not be queried: their spending is missing. */
  missing?: string[]
}

export const LIMIT_SCOPES = ['session', 'day', 'project'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]

/** How much of a spending limit is used. */
export interface LimitState {
  scope: LimitScope
  unit: 'dollars' | 'tokens'
  /** Including what the user has added. */
  limit: number
  spent: number
  /** Requests that a limit in dollars cannot count, because their price is unknown. */
  unpriced: number
}

/** The user is warned once this share of a limit is used. */
const WARN_SHARE = 0.8

/** Whether enough of a limit is used to warn the user. */
export function isNearLimit({ limit, spent }: Pick<LimitState, 'limit' | 'spent'>): boolean {
  return spent >= limit * WARN_SHARE
}

export interface TurnUsage extends UsageSum {
  turnId: string
  /** ms since the epoch. */
  at: number
  /** The start of the prompt. */
  text: string
}

export interface AgentUsage extends UsageSum {
  sessionId: string
  title: string
  /** Depth in the tree: 1 for those that the session itself started. */
  depth: number
}

/** The usage of a session, with all of its subagents. */
export interface SessionUsage {
  sessionId: string
  /** With the subagents. */
  total: UsageSum
  /** Without them. */
  own: UsageSum
  agents: AgentUsage[]
  limits: LimitState[]
  /** Its own turns, latest first; only if requested. */
  turns?: TurnUsage[]
}

export function addUsage(one: UsageSum, other: UsageSum): UsageSum {
  return {
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    written: one.written + other.written,
    thinking: one.thinking + other.thinking,
    cost: one.cost + other.cost,
    unpriced: one.unpriced + other.unpriced,
  }
}

const LIMIT_NAMES: Record<LimitScope, string> = {
  session: 'this session',
  day: 'today',
  project: 'this project this month',
}

export function limitName(scope: LimitScope): string {
  return LIMIT_NAMES[scope]
}

/** An amount of a limit: "$5.00", "200,000 tokens". */
export function limitAmount(value: number, unit: LimitState['unit']): string {
  return unit === 'dollars' ? `$${value.toFixed(2)}` : `${Math.round(value).toLocaleString('en-US')} tokens`
}

/** Dollars per million tokens. */
export interface ModelPrices {
  input: number
  /** Thinking is billed as output. */
  output: number
  cacheRead?: number
  /** For a cache that is kept for minutes. */
  cacheWrite?: number
  /** For a cache that is kept for an hour. */
  cacheWriteHour?: number
  /** The prices for the whole request if its input exceeds `above`. */
  long?: { above: number } & Omit<ModelPrices, 'long'>
}

/**
 * The cost of a request, in dollars. Reading from and writing to the cache have their own prices; if unknown, the price
 * of input applies. `cache`: `long` if the provider was asked to keep it for an hour.
 */
export function costOf(
  { input, output, cached, written = 0 }: Pick<Usage, 'input' | 'output' | 'cached' | 'written'>,
  prices: ModelPrices,
  cache: 'short' | 'long' = 'short',
): number {
  const { long } = prices
  const price = long && input > long.above ? long : prices
  const fresh = Math.max(0, input - cached - written)
  const write = (cache === 'long' ? price.cacheWriteHour : undefined) ?? price.cacheWrite ?? price.input
  const millionths =
    fresh * price.input + cached * (price.cacheRead ?? price.input) + written * write + output * price.output
  return millionths / 1e6
}

/** Prices of a model that runs on this computer. */
export const NO_PRICE: ModelPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }

/** Dollars: with cents from ten cents up, with four decimals below. */
export function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.0001) return '< $0.0001'
  return `$${dollars.toFixed(dollars >= 0.1 || dollars === 0 ? 2 : 4)}`
}

/** A model's prices in one line: "$3 in, $15 out per million tokens". */
export function describePrices({ input, output, cacheRead, long }: ModelPrices): string {
  if (input === 0 && output === 0) return 'free'
  const cache = cacheRead === undefined ? '' : `, ${dollars(cacheRead)} cached`
  const more = long
    ? `; above ${long.above.toLocaleString('en-US')} tokens ${dollars(long.input)} and ${dollars(long.output)}`
    : ''
  return `${dollars(input)} in, ${dollars(output)} out${cache} per million tokens${more}`
}

function dollars(value: number): string {
  return `$${Number(value.toFixed(4))}`
}
