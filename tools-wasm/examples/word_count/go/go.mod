module word_count

go 1.25
