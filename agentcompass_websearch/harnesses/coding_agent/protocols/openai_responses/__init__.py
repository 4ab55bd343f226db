"""The Responses protocol of OpenAI, spoken without the server keeping anything."""
