"""The Chat Completions protocol of OpenAI and of the many servers that speak it their own way."""
