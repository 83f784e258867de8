from hakaru.cli import main

main()
