/** The text of an answer; throws when it is longer than `limit` characters: other programs than the one that was meant may answer. */
export async function limitedText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  if (!response.body) return text
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > limit) throw new Error('too long for a list of models')
  }
  return text
}
