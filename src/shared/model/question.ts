/** Something the agent wants to know from the person, with answers to choose from; "Other" with free text is always one more. */
export interface Question {
  question: string
  /** A word or two, to tell several questions apart. */
  header?: string
  options: { label: string; description: string }[]
  /** More than one may be chosen. */
  multi_select: boolean
}

/** The answer to one question, in the order of the questions. */
export interface QuestionAnswer {
  labels: string[]
  /** What was written for "Other". */
  other?: string
}
