
#compdef libriscribe2

_libriscribe2_completion() {
  eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _LIBRISCRIBE2_COMPLETE=complete_zsh libriscribe2)
}

compdef _libriscribe2_completion libriscribe2

