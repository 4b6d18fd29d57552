"""What models say around an answer: intros, outros, reasoning, other languages, stray brackets."""

from typing import Final

INTROS: Final = (
    "Here's the JSON you asked for:",
    "Sure! Here is the concept:",
    "Of course.",
    "I'll create a plan for you.",
    "Certainly - I kept it short:",
    "Okay, final version below.",
    "Voici le résultat demandé :",
    "Gerne, hier ist das Ergebnis:",
    "Aquí tienes:",
    "Вот готовый ответ:",
    "以下是您要的内容：",
    "はい、こちらです。",
    "إليك النتيجة:",
)
OUTROS: Final = (
    "Let me know if you need changes!",
    "I hope this helps.",
    "Would you like another one?",
    "Note: the logline can be shortened.",
    "Dis-moi si cela te convient.",
    "Viel Spaß beim Schreiben!",
    "Si quieres, lo amplío.",
    "Если нужно, я продолжу.",
    "如需修改请告诉我。",
    "いかがでしょうか。",
)
BRACED: Final = (
    "Use {placeholders} carefully.",
    "I filled the {title, logline, description} template.",
    "As in {{name}}, holes stay open.",
    "The set {1, 2, 3} is not used here.",
    "Braces like } and { can appear in prose.",
    "See the note [sic] above.",
    "Think of f(x) = {x | x > 0}.",
    "An emoticon :-} and another {-:",
    "CSS such as a { color: red } is ignored.",
    "${value} was replaced.",
)
QUOTED: Final = (
    "Here's what I'd call a \"slow burn\":",
    "The author's note says \"begin with fog.",
    "It's the readers' choice, isn't it?",
    'I kept the word "lighthouse in the title.',
    "Don't worry about the `logline",
    "A 6\" lamp and a 12' tower appear:",
)
REASONING: Final = (
    "The user wants a concept. I should keep the logline to one sentence.",
    "Let me think about the tone: quiet, patient, with fog.\n\nThe keeper should be alone.",
    "I need valid JSON {no markdown}. Keys: title, logline, description.",
    "First idea: a clock shop. Better: a lighthouse. Let's go with the lighthouse.",
    "Wait... the schema asks for lists [not strings]. OK.",
    "好的，用户想要一个小说概念。我需要用JSON格式回答。",
)
REFUSALS: Final = (
    "I'm sorry, but I can't help with that request.",
    "I cannot create this content because it may violate the guidelines.",
    "As an AI language model, I am not able to write this scene.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Je suis désolé, je ne peux pas répondre à cette demande.",
    "抱歉，我无法满足这个请求。",
)
QUESTIONS: Final = (
    "Before I start: should the story be set in the past or in the present?",
    "Could you tell me the audience? Then I'll write the concept.",
    "Which of the two endings do you prefer, the storm or the silence?",
    "Soll die Geschichte in der Gegenwart spielen? Sag mir Bescheid, dann fange ich an.",
    "What should happen to Pell? Options: (a) he leaves, (b) he stays, (c) [your idea].",
)
