import { failureOf } from '../../shared/model/errors'
import { UsageError } from './parse'

/** A failure as one line for those who asked for JSON: `{"error": {"code", "title", "message", "advice"}}`. The code of wrong usage is `usage`. */
export function errorAsJson(error: unknown): string {
  if (error instanceof UsageError) {
    const advice = `See trestle ${error.command === undefined ? '' : `${error.command} `}--help.`
    return `${JSON.stringify({ error: { code: 'usage', title: 'Wrong usage', message: error.message, advice } })}\n`
  }
  const { code, title, message, advice } = failureOf(error)
  return `${JSON.stringify({ error: { code, title, message, advice } })}\n`
}
